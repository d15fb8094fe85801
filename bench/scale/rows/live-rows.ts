import type { LiveQuery } from '../../../src/client/live-value.ts'
import type { MessageStream } from '../../../src/client/message-stream-types.ts'
import type { Transcript } from '../../../src/client/session-contract.ts'
import type { SessionPage } from '../../../src/contract/store/session-metadata.ts'
import { type Ground, otherKey, shortMessage } from '../ground.ts'
import { flat, type RowsOf } from '../row.ts'
import { nextChange } from './live-row-helpers.ts'

type List = LiveQuery<SessionPage>

const opened = async ({ client }: Ground): Promise<List> => {
  const query = client.sessions()
  await query.ready()
  return query
}
const ended = (_ground: Ground, query: LiveQuery<unknown>): void => query.close()
const appendElsewhere = ({ client, next, sessions }: Ground): Promise<unknown> =>
  client.store.append(otherKey(next() % sessions), [{ type: 'message', message: shortMessage(next()) }])

/** The list of sessions, live. */
export const liveQueryRows = {
  subscribe: {
    'from append to told': flat<List>(
      async (ground, query) => {
        const told = nextChange(query)
        await appendElsewhere(ground)
        await told
      },
      { prepare: opened, tidy: ended },
    ),
  },
  getSnapshot: flat<List>((_, query) => query.getSnapshot(), { prepare: opened, tidy: ended }),
  getError: flat<List>((_, query) => query.getError(), { prepare: opened, tidy: ended }),
  ready: flat<List>((_, query) => query.ready(), { prepare: opened, tidy: ended }),
  [Symbol.asyncIterator]: flat<List>((_, query) => query[Symbol.asyncIterator]().next(), {
    prepare: opened,
    tidy: ended,
  }),
  close: flat<List>((_, query) => query.close(), { prepare: opened }),
  [Symbol.dispose]: flat<List>((_, query) => query[Symbol.dispose](), { prepare: opened }),
} satisfies RowsOf<List>

const shown = async ({ session }: Ground): Promise<Transcript> => {
  const transcript = session.transcript()
  await transcript.ready()
  return transcript
}

export const transcriptRows = {
  loadEarlier: flat<Transcript>((_, transcript) => transcript.loadEarlier(100), { prepare: shown, tidy: ended }),
} satisfies RowsOf<Omit<Transcript, keyof LiveQuery<unknown>>>

const begun = async ({ session }: Ground): Promise<MessageStream> => {
  const stream = session.stream()
  await stream.id
  stream.write('It begins. ')
  return stream
}
const dropped = async (_ground: Ground, stream: MessageStream): Promise<void> =>
  void (await stream.abort({ keep: false }))

export const streamRows = {
  write: flat<MessageStream>((_, stream) => stream.write('a piece of text '), { prepare: begun, tidy: dropped }),
  writeReasoning: flat<MessageStream>((_, stream) => stream.writeReasoning('a thought '), {
    prepare: begun,
    tidy: dropped,
  }),
  writeToolInput: flat<MessageStream>((_, stream) => stream.writeToolInput({ id: 'call', name: 'find', input: '{}' }), {
    prepare: begun,
    tidy: dropped,
  }),
  writePart: flat<MessageStream>((_, stream) => stream.writePart({ type: 'image', url: 'https://example.org/a.png' }), {
    prepare: begun,
    tidy: dropped,
  }),
  end: flat<MessageStream>((_, stream) => stream.end(), { prepare: begun }),
  abort: {
    kept: flat<MessageStream>((_, stream) => stream.abort({ keep: true }), { prepare: begun }),
    dropped: flat<MessageStream>((_, stream) => stream.abort({ keep: false }), { prepare: begun }),
  },
} satisfies RowsOf<MessageStream>
