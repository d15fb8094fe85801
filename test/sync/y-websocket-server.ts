import type { IncomingMessage } from 'node:http'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import { readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync'
import * as Y from 'yjs'

const SYNC = 0
const AWARENESS = 1

type Socket = InstanceType<typeof globalThis.WebSocket>

interface Room {
  readonly document: Y.Doc
  readonly awareness: Awareness
  /** Who has it open, and the clients each of them has told of. */
  readonly members: Map<Socket, Set<number>>
}

/**
 * What a y-websocket server says, by `y-protocols` alone: the published ones bring a native database along. A document
 * is forgotten with the last connection that has it open.
 */
export function createYWebsocketServer(): { join(socket: Socket, request: IncomingMessage): void } {
  const rooms = new Map<string, Room>()
  return {
    join(socket, request) {
      const name = (request.url ?? '').slice(1).split('?')[0] ?? ''
      const room = rooms.get(name) ?? createRoom()
      rooms.set(name, room)
      room.members.set(socket, new Set())
      socket.binaryType = 'arraybuffer'
      socket.addEventListener('message', ({ data }) => answer(room, socket, new Uint8Array(data as ArrayBuffer)))
      socket.addEventListener('close', () => {
        removeAwarenessStates(room.awareness, [...room.members.get(socket)!], null)
        room.members.delete(socket)
        if (room.members.size > 0) return
        rooms.delete(name)
        room.awareness.destroy()
        room.document.destroy()
      })
      socket.send(message(SYNC, (encoder) => writeSyncStep1(encoder, room.document)))
      const present = [...room.awareness.getStates().keys()]
      if (present.length > 0) socket.send(statesOf(room, present))
    },
  }
}

function createRoom(): Room {
  const document = new Y.Doc()
  const room: Room = { document, awareness: new Awareness(document), members: new Map() }
  room.awareness.setLocalState(null)
  document.on('update', (update: Uint8Array) =>
    tellAll(
      room,
      message(SYNC, (encoder) => writeUpdate(encoder, update)),
    ),
  )
  room.awareness.on(
    'update',
    ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', number[]>, from: Socket | null) => {
      const told = from === null ? undefined : room.members.get(from)
      for (const client of added) told?.add(client)
      for (const client of removed) told?.delete(client)
      tellAll(room, statesOf(room, [...added, ...updated, ...removed]))
    },
  )
  return room
}

function answer(room: Room, socket: Socket, data: Uint8Array): void {
  const decoder = decoding.createDecoder(data)
  const kind = decoding.readVarUint(decoder)
  if (kind === AWARENESS) return applyAwarenessUpdate(room.awareness, decoding.readVarUint8Array(decoder), socket)
  if (kind !== SYNC) return
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, SYNC)
  readSyncMessage(decoder, encoder, room.document, socket)
  // Nothing but the kind: there is no answer.
  if (encoding.length(encoder) > 1) socket.send(encoding.toUint8Array(encoder) as Uint8Array<ArrayBuffer>)
}

function tellAll({ members }: Room, data: Uint8Array<ArrayBuffer>): void {
  for (const member of members.keys()) if (member.readyState === member.OPEN) member.send(data)
}

const statesOf = ({ awareness }: Room, clients: number[]): Uint8Array<ArrayBuffer> =>
  message(AWARENESS, (encoder) => encoding.writeVarUint8Array(encoder, encodeAwarenessUpdate(awareness, clients)))

function message(kind: number, write: (encoder: encoding.Encoder) => void): Uint8Array<ArrayBuffer> {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, kind)
  write(encoder)
  return encoding.toUint8Array(encoder) as Uint8Array<ArrayBuffer>
}
