import * as Automerge from '@automerge/automerge'
import {
  type DocHandle,
  type DocumentId,
  type Message,
  NetworkAdapter,
  type PeerId,
  Repo,
  type StorageAdapterInterface,
} from '@automerge/automerge-repo'

export interface Chat {
  messages: { content: string }[]
}

/** What an adapter needs of a WebSocket, of whichever kind. */
interface Socket {
  binaryType: string
  send(bytes: Uint8Array<ArrayBuffer>): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

/** Messages of a repository over an open socket: what is bytes in them as bytes, and the rest as JSON before it. */
export class SocketAdapter extends NetworkAdapter {
  readonly #socket: Socket

  constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
  }

  isReady = (): boolean => true
  whenReady = async (): Promise<void> => undefined
  disconnect(): void {}

  connect(peerId: PeerId): void {
    this.peerId = peerId
    let other: PeerId | undefined
    const meet = (id: PeerId): void => {
      if (other !== undefined) return
      other = id
      this.#send({ hello: peerId })
      this.emit('peer-candidate', { peerId: id, peerMetadata: {} })
    }
    this.#socket.addEventListener('message', ({ data }) => {
      const bytes = new Uint8Array(data as ArrayBuffer)
      const length = new DataView(bytes.buffer).getUint32(0)
      const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as { readonly hello?: PeerId }
      if (head.hello !== undefined) return meet(head.hello)
      this.emit('message', { ...head, data: bytes.subarray(4 + length) } as unknown as Message)
    })
    this.#send({ hello: peerId })
  }

  send(message: Message): void {
    const { data, ...head } = message as Message & { readonly data?: Uint8Array }
    this.#send(head, data)
  }

  #send(head: object, data: Uint8Array = new Uint8Array()): void {
    const text = new TextEncoder().encode(JSON.stringify(head))
    const frame = new Uint8Array(4 + text.length + data.length)
    new DataView(frame.buffer).setUint32(0, text.length)
    frame.set(text, 4)
    frame.set(data, 4 + text.length)
    this.#socket.send(frame)
  }
}

/** A repository with the empty chat that all begin with: of two that each made their own, one would go. */
export async function openChat(
  peerId: string,
  storage?: StorageAdapterInterface,
): Promise<{ readonly repo: Repo; readonly handle: DocHandle<Chat> }> {
  const repo = new Repo({ peerId: peerId as PeerId, ...(storage === undefined ? {} : { storage }) })
  const empty = Automerge.change(Automerge.init<Chat>({ actor: '00' }), { time: 0 }, (doc) => void (doc.messages = []))
  const handle = repo.import<Chat>(Automerge.save(empty), { docId: '4NMNnkMhL8jXrdJ9jamS58PAVdXu' as DocumentId })
  await handle.whenReady()
  return { repo, handle }
}
