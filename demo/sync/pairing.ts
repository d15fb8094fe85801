import { createPairingLink, openPairingLink } from '../../src/sync/encryption/pairing-link.ts'
import type { RootKey } from '../../src/sync/encryption/root-key.ts'
import { hasNextRootKey, nextRootKey, rootKey } from './root-key.ts'
import { type SyncSettings, serverAddress } from './sync-settings.ts'

/** What a device is asked to take part in. */
export interface Invitation {
  readonly settings: SyncSettings
  /** With end-to-end encryption. */
  readonly rootKey?: RootKey
}

/**
 * A link that opens this app and has all that another device needs, in the part of it that no browser sends anywhere.
 */
export async function createInvitation(settings: SyncSettings): Promise<string> {
  const { server, namespace, token } = settings
  const page = `${location.origin}${location.pathname}`
  if (!settings.isSealed) return `${page}#${new URLSearchParams({ join: server, namespace, token })}`
  const key = await (hasNextRootKey(namespace) ? nextRootKey(namespace) : rootKey(namespace))
  const link = await createPairingLink({ rootKey: key, namespace, server }, { page })
  return `${link}&${new URLSearchParams({ token })}`
}

export const isInvitation = (hash: string): boolean => /^#(?:pair|join)=/.test(hash)

/** @throws InvalidInput for a link that is damaged; AccessDenied for one that is too old */
export async function openInvitation(hash: string): Promise<Invitation> {
  const parts = new URLSearchParams(hash.slice(1))
  const token = parts.get('token') ?? ''
  if (!parts.has('pair'))
    return { settings: { ...placeOf(parts.get('join'), parts.get('namespace')), token, isSealed: false } }
  const { rootKey: key, server, namespace } = await openPairingLink(hash)
  return { settings: { ...placeOf(server, namespace), token, isSealed: true }, rootKey: key }
}

function placeOf(
  server: string | null | undefined,
  namespace: string | null,
): Pick<SyncSettings, 'server' | 'namespace'> {
  const address = serverAddress(server ?? '')
  if (address === undefined || !namespace || namespace.includes('/'))
    throw new Error('The link does not name a server and a namespace. Copy the whole link and try again.')
  return { server: address, namespace }
}
