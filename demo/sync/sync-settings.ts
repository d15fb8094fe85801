import { readLocal, writeLocal } from '../ui/local.ts'

/** Where this browser syncs, the same for all devices that it plays. */
export interface SyncSettings {
  /** `ws:` or `wss:` */
  readonly server: string
  readonly token: string
  readonly namespace: string
  /** Whether conversations are sealed before they leave the device. */
  readonly isSealed: boolean
}

export const settingsName = 'sync-settings'

/**
 * The server that `npm start` has running beside the app. It gets another port and secret each time, so it is
 * remembered by nobody.
 */
const offered = offeredServer()

export const isOffered = ({ server, token }: SyncSettings): boolean =>
  server === offered?.server && token === offered.token

export function readSyncSettings(): SyncSettings {
  const { server, token, namespace, isSealed }: Partial<SyncSettings> = stored()
  return {
    server: server ?? offered?.server ?? '',
    token: token ?? offered?.token ?? '',
    namespace: namespace ?? 'demo',
    isSealed: isSealed ?? false,
  }
}

export function writeSyncSettings(settings: SyncSettings): void {
  const { namespace, isSealed } = settings
  writeLocal(settingsName, JSON.stringify(isOffered(settings) ? { namespace, isSealed } : settings))
}

/** The address as it is connected to. @returns `undefined` for what is none */
export function serverAddress(text: string): string | undefined {
  const url = URL.parse(text.trim().replace(/^http/i, 'ws'))
  return url !== null && /^wss?:$/.test(url.protocol) ? url.href.replace(/\/$/, '') : undefined
}

/** Whether only programs of the same machine reach the server. */
export const isOfThisMachine = ({ server }: SyncSettings): boolean =>
  /^(localhost|127\.|\[::1\])/.test(URL.parse(server)?.hostname ?? '')

function stored(): Partial<SyncSettings> {
  try {
    return JSON.parse(readLocal(settingsName) ?? '{}') as Partial<SyncSettings>
  } catch {
    return {}
  }
}

function offeredServer(): { readonly server: string; readonly token: string } | undefined {
  const { server, token } = document.querySelector<HTMLMetaElement>('meta[name=sync-server]')?.dataset ?? {}
  return server === undefined || token === undefined ? undefined : { server, token }
}
