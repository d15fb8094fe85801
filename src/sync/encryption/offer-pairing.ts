import { sameBytes } from '../same-bytes.ts'
import { readPairingCode } from './pairing-code.ts'
import { PairingError } from './pairing-error.ts'
import { agree, commitTo, drawPairingShare } from './pairing-handshake.ts'
import { type PairingParcel, packParcel } from './pairing-parcel.ts'
import { openPairingTalk, type PairingTalkOptions } from './pairing-talk.ts'

export interface PairingOptions extends PairingTalkOptions {
  /** From `drawPairingCode`, on the device that has the key; typed in on the other device. */
  readonly code: string
  /**
   * Shows six digits and asks whether the other device shows the same. Only `true` continues.
   *
   * @param signal - aborts when the pairing is over, and the question with it
   */
  readonly confirm: (digits: string, signal: AbortSignal) => Promise<boolean>
}

/**
 * Hands the root key to a new device that was given the same code (`joinPairing`). Resolves when that device has it.
 *
 * @throws InvalidInput (the code, the parcel), Aborted, PairingError, StorageUnavailable (no cryptography here); what
 * `confirm` rejects with
 */
export async function offerPairing(
  parcel: PairingParcel,
  { code, confirm, ...options }: PairingOptions,
): Promise<void> {
  const room = readPairingCode(code)
  const plain = packParcel(parcel)
  const share = await drawPairingShare()
  const talk = openPairingTalk('offerer', options)
  try {
    talk.send('hello')
    const commitment = await talk.receive('commit')
    talk.setTag(commitment)
    talk.send('reply', share.open)
    const theirs = await talk.receive('reveal')
    if (!sameBytes(await commitTo(room, theirs), commitment)) throw new PairingError('forged')
    const agreement = await agree(room, share, theirs, share.open)
    if ((await talk.orEnd(confirm(agreement.digits, talk.signal))) !== true) throw new PairingError('refused')
    talk.send('key', await agreement.seal('key', plain))
    await agreement.open('done', await talk.receive('done'))
    talk.end()
  } catch (error) {
    talk.end(error)
    throw error
  }
}
