import type { Leftovers } from './watch-globals.ts'

/** Handles that end by themselves, or are watched as what they are. */
const passing =
  /^(Timeout|Immediate|TickObject|FSReq|CloseReq|GetAddrInfo|TCPConnect|ShutdownWrap|WriteWrap|PBKDF2|HashJob|SignJob|RandomBytes|DeriveBits|Zlib|Microtask|FileHandle|Cipher|KeyGen|SecretKey|RSA|EC|AES|HMAC)/i

/** Watches over Node's process: what is listened to, held open or running, and where it works. */
export function watchProcess(): Leftovers {
  const [handles, listeners, folder] = [handlesNow(), listenersNow(), process.cwd()]
  return () => [
    ...more(handles, handlesNow()).map(([kind, count]) => `${count} open ${kind}`),
    ...more(listeners, listenersNow()).map(([event, count]) => `${count} of the process’s listeners for "${event}"`),
    ...(process.cwd() === folder ? [] : [`the working folder ${process.cwd()}`]),
  ]
}

const handlesNow = (): Map<string, number> =>
  counted(process.getActiveResourcesInfo().filter((kind) => !passing.test(kind)))

const listenersNow = (): Map<string, number> =>
  new Map(process.eventNames().map((event) => [String(event), process.listenerCount(event)]))

function counted(kinds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

const more = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): [string, number][] =>
  [...after]
    .map(([kind, count]): [string, number] => [kind, count - (before.get(kind) ?? 0)])
    .filter(([, count]) => count > 0)
