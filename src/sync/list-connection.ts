import { encodeStateVector, parseUpdateMeta } from 'yjs'
import { hasAll } from './has-all.ts'
import type { IndexDocument } from './index-document.ts'
import { type KeptConnection, keepConnected } from './keep-connected.ts'
import type { LinkStatus, LinkTrouble, SyncTransport } from './link.ts'
import { readStateVector } from './read-state-vector.ts'
import { sameBytes } from './same-bytes.ts'
import type { RetryOptions } from './retry-wait.ts'

/** Questions in a row that brought nothing. */
const mostAsks = 3
/** How long after an answer that did not know of all it is asked for again, in milliseconds: it may have been on its way. */
const nudgeMs = 2000

export interface ListConnectionOptions {
  readonly transport: SyncTransport
  readonly namespace: string
  readonly retry: RetryOptions
  /** The list, as it is kept now. */
  readonly index: () => IndexDocument
  /** Resolves once it is known what is here. */
  readonly loaded: () => Promise<unknown>
  readonly isClosed: () => boolean
  /** Something that came was no list. */
  readonly onRefused: (reason: string) => void
  /** The list of the other side has come. */
  readonly onList: () => Promise<void>
  readonly onUp: () => void
  readonly onLost: () => void
  /** The server lacks something of the list that it had: it goes on from an old backup, and may lack as much of every session. */
  readonly onSetBack: () => void
  /** Among equals: somebody has come, who may have what nobody had. */
  readonly onCame: () => void
  readonly onChange: () => void
}

/** The list's way to the other side, which says whether there is one for all sessions. */
export interface ListConnection {
  open(): void
  isOpen(): boolean
  link(): LinkStatus
  /** The same, but that what was wrong is so until it is connected again: while it is tried once more, too. */
  standing(): LinkStatus
  isUp(): boolean
  /** The other side takes nothing from here. */
  setReadonly(): void
  /** Whether the list of the other side has come, in this connection. */
  hasList(): boolean
  /** Whether the other side has all that the list says here. */
  isSent(): boolean
  ask(): void
  retry(): void
  drop(): void
  /** Lets go of it, until it is opened again. */
  close(): Promise<void>
}

export function createListConnection({ transport, namespace, retry, index, loaded, isClosed, onRefused, onList, onUp, onLost, onSetBack, onCame, onChange }: ListConnectionOptions): ListConnection {
  let link: LinkStatus = { state: 'connecting' }
  let trouble: LinkTrouble | undefined
  let connection: KeptConnection | undefined
  /** How many are there, among equals; absent before the first answer, or where a server is asked. */
  let others: number | undefined
  let hasList = false
  let nudge: ReturnType<typeof setTimeout> | undefined
  /** How much of the list the other side has, by client. */
  let theirs: Map<number, number> | undefined
  /** How much of it a server had last, in this connection or one before. */
  let had: ReadonlyMap<number, number> = new Map()
  /** How often it was asked for what an update stands on, since one brought something. */
  let asks = 0

  const reach = (): LinkStatus => {
    if (link.state !== 'connected' || transport.onAsked === undefined || (others ?? 0) > 0) return link
    return { state: others === undefined ? 'connecting' : 'offline' }
  }
  const isUp = (): boolean => reach().state === 'connected' || link.state === 'readonly'
  const isSent = (): boolean => theirs !== undefined && hasAll(theirs, readStateVector(encodeStateVector(index().doc)))
  const lose = (): void => {
    hasList = false
    theirs = undefined
    asks = 0
    clearTimeout(nudge)
    nudge = undefined
    onLost()
  }
  const take = async (update: Uint8Array, origin: unknown): Promise<void> => {
    const { doc, receive } = index()
    const before = encodeStateVector(doc)
    const hasGap = await receive(update, origin)
    if (!sameBytes(before, encodeStateVector(doc))) asks = 0
    if (!hasGap || asks > mostAsks) return
    asks += 1
    // Bounded: a server that has kept such a thing sends it each time.
    if (asks <= mostAsks) connection?.ask()
    else onRefused('an update of the list stands on something that nobody sends')
  }
  const come = async (): Promise<void> => {
    if (hasList || isClosed()) return
    const of = connection
    await loaded()
    if (hasList || connection !== of || reach().state === 'offline') return
    hasList = true
    await onList()
  }

  return {
    open: () => {
      connection = keepConnected(
        transport,
        {
          name: `${namespace}/index`,
          doc: index().doc,
          receive: async (update, origin) => {
            try {
              await take(update, origin)
              // They need not be asked whether they have what they sent.
              for (const [client, next] of parseUpdateMeta(update).to) theirs?.set(client, Math.max(next, theirs.get(client) ?? 0))
            } catch (error) {
              onRefused((error as Error).message)
            }
            await come()
          },
          peerHas: (stateVector) => {
            const said = readStateVector(stateVector)
            if (transport.onAsked === undefined) {
              const isSetBack = !hasAll(said, had)
              had = said
              if (isSetBack) onSetBack()
            }
            // Of several, whoever sent something is not asked whether the others have got it.
            theirs = new Map(others === undefined ? undefined : theirs)
            for (const [client, next] of said) theirs.set(client, Math.max(next, theirs.get(client) ?? 0))
            // Among equals, who has nothing new sends nothing.
            if (hasAll(readStateVector(encodeStateVector(index().doc)), theirs)) void come()
            if (link.state === 'connected' && !isSent()) {
              nudge ??= setTimeout(() => {
                nudge = undefined
                connection?.ask()
              }, nudgeMs)
            }
            onChange()
          },
          status: (status) => {
            link = status
            if (status.state !== 'connected') others = undefined
            if (isUp()) trouble = undefined
            else if (status.state !== 'connecting' && status.state !== 'connected') trouble = status
            if (isUp()) onUp()
            else lose()
            onChange()
          },
          others: (count) => {
            const before = others ?? 0
            others = count
            if (count > before) {
              theirs = undefined
              if (before === 0) onUp()
              onCame()
            } else if (count === 0) lose()
            onChange()
          },
        },
        retry,
      )
    },
    isOpen: () => connection !== undefined,
    link: reach,
    standing: () => {
      const at = reach()
      return at.state === 'connecting' ? (trouble ?? at) : at
    },
    isUp,
    setReadonly: () => (link = { state: 'readonly' }),
    hasList: () => hasList,
    isSent,
    ask: () => connection?.ask(),
    retry: () => connection?.retry(),
    drop: () => connection?.drop(),
    close: async () => {
      const over = connection
      connection = undefined
      trouble = undefined
      lose()
      await over?.close()
    },
  }
}
