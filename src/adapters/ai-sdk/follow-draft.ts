import type { Session, TranscriptSnapshot } from '../../client/session-contract.ts'
import type { DraftPart, DraftView } from '../../contract/change.ts'
import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { FileUrls } from '../file-urls.ts'
import { foldChunks } from './fold-chunks.ts'
import { piecesOf, readPieces } from './read-pieces.ts'
import { restOfMessage } from './rest-of-message.ts'
import { fromStored } from './stored-message.ts'
import type { Fields } from './ui-message.ts'

/**
 * Replays a reply that is being streamed into a session at this moment, from its beginning, and follows it to its end.
 * It ends with an `abort` when the reply was stopped or cut off.
 */
export function followDraft(
  session: Session<object>,
  draft: DraftView,
  files: FileUrls,
  signal: AbortSignal | undefined,
): ReadableStream<Fields> {
  const stop = new AbortController()
  if (signal?.aborted) stop.abort()
  signal?.addEventListener('abort', () => stop.abort(), { signal: stop.signal })
  const chunks = chunksOf(session, draft, files, stop)
  return new ReadableStream<Fields>({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      // It may wait for a change of the transcript, which need not come.
      stop.abort()
      await chunks.return(undefined)
    },
  })
}

async function* chunksOf(
  session: Session<object>,
  found: DraftView,
  files: FileUrls,
  stop: AbortController,
): AsyncGenerator<Fields, void> {
  let draft = found
  const base = draft.resumes && (await session.entries.find(draft.resumes))
  const begun = base && fromStored({ ...base, message: withoutPieces(base.message as Message) })
  const fold = foldChunks({ id: draft.mid as string, role: 'assistant', parts: [] })
  const show = async (chunk: Fields): Promise<Fields> => {
    fold.add(chunk)
    return chunk.type === 'file' || chunk.type === 'reasoning-file'
      ? { ...chunk, url: await files.show(chunk['url'] as string) }
      : chunk
  }
  // Until there is any of it, the model's server may still choose another id for the reply.
  let isStarted = false
  const start = (): readonly Fields[] => {
    if (isStarted) return []
    isStarted = true
    return [{ type: 'start', messageId: draft.mid, messageMetadata: begun?.metadata }]
  }
  if (begun !== undefined) yield* start()
  for (const chunk of begun === undefined ? [] : restOfMessage(begun, fold)) yield show(chunk)

  // The entry of a reply that is continued grows in its place when it is the last one.
  const transcript = session.transcript({ last: 1 })
  if (stop.signal.aborted) transcript.close()
  stop.signal.addEventListener('abort', () => transcript.close())
  try {
    const read = readPieces()
    for await (const snapshot of transcript) {
      if (!isStarted) draft = (await replacementOf(session, draft, snapshot)) ?? draft
      const pieces = piecesIn(snapshot, draft.id, base)
      if (pieces === undefined) break
      if (pieces.length > 0) yield* start()
      for (const chunk of read(pieces)) yield show(chunk)
    }
  } finally {
    stop.abort()
  }
  const kept = await session.entries.find({ mid: draft.mid as string })
  const message = kept && fromStored(kept)
  if (message !== undefined) yield* start()
  for (const chunk of message === undefined ? [] : restOfMessage(message, fold)) yield show(chunk)
  yield message === undefined || message.interrupted ? { type: 'abort' } : { type: 'finish' }
}

/** The draft that a reply has now, if it was begun again under another id. */
async function replacementOf(
  session: Session<object>,
  { id, branch }: DraftView,
  { drafts }: TranscriptSnapshot<object>,
): Promise<DraftView | undefined> {
  if (drafts.some((one) => one.id === id)) return undefined
  const all = await session.store.listDrafts(session.key)
  return all.find((one) => one.branch === branch && one.mid !== undefined && one.resumes === undefined)
}

const withoutPieces = ({ content: _, reasoning_content: __, ...message }: Message): Message => message

/** What a snapshot has of a draft; `undefined` when it has ended. */
function piecesIn(
  { entries, drafts }: TranscriptSnapshot<object>,
  id: string,
  base: EntryView<object> | undefined,
): readonly DraftPart[] | undefined {
  const draft = drafts.find((one) => one.id === id)
  if (draft !== undefined) return draft.parts
  const entry = base && entries.find((one) => one.id === base.id)
  const message = entry?.message as Message | undefined
  return message === undefined || entry?.edit !== base?.edit || message['interrupted'] === true
    ? undefined
    : piecesOf(message)
}
