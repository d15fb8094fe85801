import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import { Awareness } from 'y-protocols/awareness'
import { WebsocketProvider } from 'y-websocket'
import { Doc, encodeStateVector } from 'yjs'
import { SessionError } from '../../../contract/errors.ts'
import type { LinkStatus, SyncConnection, SyncLink, SyncTransport } from '../../link.ts'
import { createTaskQueue } from '../../task-queue.ts'
import { createOutbox } from '../outbox.ts'
import { connectPresence } from '../presence.ts'
import { createSocketGate } from '../socket-gate.ts'
import { readServerVector } from './read-server-vector.ts'

export interface WebsocketTransportOptions {
  /** `ws:` or `wss:`; a document's name is put behind it. */
  readonly url: string
  /** Of the URL's query, such as a token. A function is asked for each document that is opened. */
  readonly params?: Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>)
  /** Where there is no global one, as in Node 20. */
  readonly WebSocket?: typeof WebSocket
}

/** Kinds of y-websocket's messages. */
const message = { sync: 0, awareness: 1, auth: 2 } as const
const nothing = new Uint8Array([0, 0])
/** In milliseconds: until the server must have answered; between questions, without which the library takes the connection for dead. */
const patience = 30_000
const beat = 15_000
/** Bytes that may wait in the socket: this protocol confirms nothing. */
const mostBuffered = 1024 * 1024

/** Sync over a server of y-websocket's protocol: a connection for each document. */
export function websocketTransport({ url, params = {}, WebSocket = globalThis.WebSocket }: WebsocketTransportOptions): SyncTransport {
  if (!/^wss?:\/\//.test(String(url)) || !URL.canParse(url)) throw new SessionError('InvalidInput', `websocketTransport needs the ws: or wss: URL of a server, not ${JSON.stringify(url)}.`)
  if (typeof WebSocket !== 'function') throw new SessionError('InvalidInput', 'There is no WebSocket here. Give websocketTransport one in `WebSocket`.')
  const connections = new Set<SyncConnection>()
  return {
    open: (link) => {
      const connection = openConnection(link, { url, params, WebSocket }, () => connections.delete(connection))
      connections.add(connection)
      return connection
    },
    close: async () => void (await Promise.all([...connections].map((connection) => connection.close()))),
  }
}

function openConnection(link: SyncLink, { url, params, WebSocket }: Required<WebsocketTransportOptions>, onEnd: () => void): SyncConnection {
  const { name, doc, awareness } = link
  // Its own is used for nothing: see `connectPresence`.
  const unused = new Awareness(new Doc())
  unused.setLocalState(null)
  let provider: WebsocketProvider | undefined
  const arrivals = createTaskQueue()
  let address = ''
  let stopProbe: (() => void) | undefined
  let isOver = false

  const finish = (): void => {
    if (isOver) return
    presence?.close()
    isOver = true
    clearTimeout(opening)
    clearTimeout(draining)
    goOn?.()
    clearInterval(beating)
    outbox.close()
    stopProbe?.()
    gate.close()
    if (provider !== undefined) {
      // With a socket of its own it would set a timer to open another.
      provider.ws = null
      // It says goodbye as the document's client, whom the awareness never met.
      provider.doc = unused.doc
      provider.destroy()
    }
    unused.destroy()
    unused.doc.destroy()
    onEnd()
  }
  const end = (status: LinkStatus): void => {
    if (isOver) return
    finish()
    link.status(status)
  }
  const inTurn = (task: () => Promise<void> | void): void =>
    void arrivals.run(async () => {
      if (!isOver) await task()
    }).catch(({ message }: Error) => end({ state: 'error', message }))
  const send = (type: number, write: (encoder: encoding.Encoder) => void): void => gate.send(frame(type, write))
  const ask = (): void =>
    send(message.sync, (encoder) => {
      encoding.writeVarUint(encoder, messageYjsSyncStep1)
      encoding.writeVarUint8Array(encoder, encodeStateVector(doc))
    })

  const connection: SyncConnection = {
    ask: () => {
      if (stopProbe !== undefined || isOver || address === '') return
      let isStopped = false
      stopProbe = () => (isStopped = true)
      void outbox.idle().then(() => {
        if (isStopped) return
        ask()
        stopProbe = readServerVector(WebSocket, address, (vector) => {
          stopProbe = undefined
          if (vector === undefined) return
          outbox.peerHas(vector, true)
          inTurn(() => link.peerHas(vector))
        })
      })
    },
    close: async () => {
      finish()
      await arrivals.done()
    },
  }

  let goOn: (() => void) | undefined
  let draining: ReturnType<typeof setTimeout> | undefined
  const outbox = createOutbox({
    doc,
    origin: connection,
    fail: ({ message }) => end({ state: 'error', message }),
    send: async (update) => {
      send(message.sync, (encoder) => {
        encoding.writeVarUint(encoder, messageYjsUpdate)
        encoding.writeVarUint8Array(encoder, update)
      })
      while (!isOver && gate.buffered() > mostBuffered) {
        await new Promise<void>((resolve) => {
          goOn = resolve
          draining = setTimeout(resolve, 20)
        })
      }
    },
  })
  const presence = awareness && connectPresence(awareness, connection, (update) => send(message.awareness, (encoder) => encoding.writeVarUint8Array(encoder, update)))

  const onSync = (decoder: decoding.Decoder, show: (frame: Uint8Array) => void): void => {
    const kind = decoding.readVarUint(decoder)
    const payload = decoding.readVarUint8Array(decoder)
    clearTimeout(opening)
    if (kind === messageYjsSyncStep1) {
      outbox.peerHas(payload, true)
      return inTurn(() => link.peerHas(payload))
    }
    inTurn(async () => {
      await link.receive(payload, connection)
      if (isOver) return
      if (kind !== messageYjsUpdate) outbox.peerAnswered(payload)
      show(
        frame(message.sync, (encoder) => {
          encoding.writeVarUint(encoder, kind)
          encoding.writeVarUint8Array(encoder, nothing)
        }),
      )
    })
  }
  const gate = createSocketGate(WebSocket, {
    opened: () => {
      link.status({ state: 'connected' })
      presence?.greet()
    },
    incoming: (bytes, show) => {
      const decoder = decoding.createDecoder(bytes)
      const type = decoding.readVarUint(decoder)
      if (type === message.sync) return onSync(decoder, show)
      if (type === message.awareness) return presence?.receive(decoding.readVarUint8Array(decoder))
      // Followed by the reason.
      if (type === message.auth && decoding.readVarUint(decoder) === 0) end({ state: 'denied', message: decoding.readVarString(decoder) })
    },
    ended: (code, reason) => {
      if (code === 1009) return end({ state: 'oversized', message: `the server ended the connection over a message that is too long for it (${reason})` })
      // By y-websocket's convention the range of what another attempt does not mend.
      if (code === 1008 || (code >= 4400 && code < 4500)) return end({ state: 'denied', message: reason === '' ? String(code) : reason })
      end(code === 1002 ? { state: 'error', message: reason } : { state: 'offline' })
    },
  })
  const opening = setTimeout(() => end({ state: 'offline' }), patience)
  const beating = setInterval(ask, beat)

  const start = async (): Promise<void> => {
    await Promise.resolve()
    if (isOver) return
    link.status({ state: 'connecting' })
    let query: Readonly<Record<string, string>>
    try {
      query = typeof params === 'function' ? await params() : params
    } catch (error) {
      return end({ state: 'error', message: `the parameters could not be had: ${(error as Error).message}` })
    }
    if (isOver) return
    try {
      const room = name.split('/').map(encodeURIComponent).join('/')
      provider = new WebsocketProvider(url, room, doc, { WebSocketPolyfill: gate.WebSocket, params: { ...query }, awareness: unused, disableBc: true, shouldReconnect: () => false })
      // The outbox sends them, in pieces and only what the server lacks.
      doc.off('update', provider._updateHandler)
      address = provider.url
    } catch (error) {
      end({ state: 'error', message: (error as Error).message })
    }
  }
  void start()
  return connection
}

function frame(type: number, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, type)
  write(encoder)
  return encoding.toUint8Array(encoder)
}
