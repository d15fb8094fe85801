import type { Endpoint } from 'comlink'
import type { StoreChange } from '../src/contract/change.ts'
import type { ChangesMessage, PongMessage, WireError } from '../src/contract/worker-protocol.ts'
import { isStoreChange } from '../src/domain/is-store-change.ts'

/** The parts of a Comlink message that matter here. None of them can be relied on. */
interface Request {
  readonly id?: unknown
  readonly type?: unknown
  readonly path?: unknown
  readonly argumentList?: unknown
  readonly keepsession?: unknown
}

/**
 * Lets only calls of the listed methods through to Comlink, with plain data as arguments. A bare Comlink endpoint runs
 * any code for the holder of its port: it follows every path (`append.constructor.constructor`), sets properties and
 * takes proxies.
 *
 * @param receive - receives the changes that the page passes on
 */
export function guardPort(
  port: MessagePort,
  methods: readonly string[],
  receive: (changes: readonly StoreChange[]) => void,
): Endpoint {
  const allowed = new Set(methods)
  const passed = new EventTarget()
  // Nobody waits for an answer to invalid changes, so they are ignored.
  const passChanges = ({ changes }: { readonly changes: unknown }): void => {
    if (isListOf(changes, isStoreChange)) receive(changes)
  }
  port.addEventListener('message', (event) => {
    const request = (event as MessageEvent<unknown>).data
    if (typeof request !== 'object' || request === null) return
    if ((request as Request).keepsession === 'ping') port.postMessage({ keepsession: 'pong' } satisfies PongMessage)
    else if ((request as Request).keepsession === 'changes') passChanges(request as ChangesMessage)
    else if (isAllowed(request, allowed)) passed.dispatchEvent(new MessageEvent('message', { data: request }))
    else port.postMessage(refusalOf(request))
  })
  return {
    addEventListener: passed.addEventListener.bind(passed),
    removeEventListener: passed.removeEventListener.bind(passed),
    postMessage: (message: unknown, transfer: Transferable[] = []) => port.postMessage(message, transfer),
    start: () => port.start(),
  }
}

/** A list without holes, which `every` would skip. */
function isListOf<Member>(given: unknown, isMember: (member: unknown) => member is Member): given is readonly Member[] {
  return Array.isArray(given) && Array.from(given).every(isMember)
}

const isPlain = (argument: unknown): argument is { readonly type: 'RAW' } =>
  (argument as { readonly type?: unknown } | null | undefined)?.type === 'RAW'

function isAllowed({ type, path, argumentList }: Request, methods: ReadonlySet<string>): boolean {
  if (type === 'RELEASE') return true
  if (type !== 'APPLY' || !Array.isArray(path) || path.length !== 1 || !methods.has(path[0])) return false
  return isListOf(argumentList, isPlain)
}

/** The answer that Comlink would give to a call that threw. */
function refusalOf({ id, type, path }: Request): unknown {
  const asked = `${nameOf(type)} ${Array.isArray(path) ? path.map(nameOf).join('.') : ''}`.trim()
  const error: WireError = {
    name: 'AccessDenied',
    message: `Refused "${asked}" on a session worker's port: only methods of SessionStore can be called, with plain data.`,
  }
  return { id, type: 'HANDLER', name: 'throw', value: { isError: true, value: error } }
}

/** Not every object can be converted to a string. */
const nameOf = (given: unknown): string => (typeof given === 'string' ? given : typeof given)
