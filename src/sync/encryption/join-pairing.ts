import type { PairingOptions } from './offer-pairing.ts'
import { readPairingCode } from './pairing-code.ts'
import { PairingError } from './pairing-error.ts'
import { agree, commitTo, drawPairingShare } from './pairing-handshake.ts'
import { type PairingParcel, unpackParcel } from './pairing-parcel.ts'
import { openPairingTalk } from './pairing-talk.ts'

/**
 * Receives the root key from the device that showed the code (`offerPairing`).
 *
 * @throws InvalidInput (the code), Aborted, PairingError, StorageUnavailable (no cryptography here); what `confirm`
 * rejects with
 */
export async function joinPairing({ code, confirm, ...options }: PairingOptions): Promise<PairingParcel> {
  const room = readPairingCode(code)
  const share = await drawPairingShare()
  const commitment = await commitTo(room, share.open)
  const talk = openPairingTalk('joiner', options, (send) => send('commit', commitment))
  try {
    talk.setTag(commitment)
    talk.send('commit', commitment)
    const theirs = await talk.receive('reply')
    talk.send('reveal', share.open)
    const agreement = await agree(room, share, share.open, theirs)
    if ((await talk.orEnd(confirm(agreement.digits, talk.signal))) !== true) throw new PairingError('refused')
    const parcel = unpackParcel(await agreement.open('key', await talk.receive('key')))
    if (parcel === undefined) throw new PairingError('forged')
    talk.send('done', await agreement.seal('done', new Uint8Array()))
    talk.end()
    return parcel
  } catch (error) {
    talk.end(error)
    throw error
  }
}
