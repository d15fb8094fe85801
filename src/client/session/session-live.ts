import type { DraftPart } from '../../contract/change.ts'
import type { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { inDevelopment, watchDropped } from '../development.ts'
import type { MessageStream, StreamOptions } from '../message-stream-types.ts'
import type { Session, Transcript } from '../session-contract.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createHandleUse } from './handle-use.ts'
import type { HandleWriter } from './handle-writer.ts'
import { createMessageStream } from './message-stream.ts'
import { endStreams, type OpenStreams } from './open-streams.ts'
import type { SessionParts } from './session-parts.ts'
import { createTranscript } from './transcript.ts'

/** Streams and live queries of a handle. */
export interface SessionLive extends Pick<Session, 'stream' | 'transcript'> {
  /** Ends all of them; streams keep what they have. */
  end(): Promise<void>
}

export function createSessionLive(
  { store, name, feed, key, check, openStreams }: SessionParts,
  writer: HandleWriter,
  closedError: (method: string) => SessionError | undefined,
): SessionLive {
  const streams: OpenStreams['aborts'] = new Set()
  const transcripts = new Set<() => void>()
  const use = createHandleUse(feed, key, name)
  const { drafts } = openStreams
  return {
    stream: (options = {}) => {
      const error = closedError('stream')
      if (error !== undefined) return closedStream(store, key, options, error)
      const token = {}
      let abort: ReturnType<typeof createMessageStream>['abort']
      let draft: string | undefined
      const onGrow = (id: string, parts: readonly DraftPart[]): void => drafts.grow(key, (draft = id), parts)
      const given = { ...options, onDeleted: writer.onDeleted(), check, onGrow }
      const stream = createMessageStream(store, key, given, () => {
        if (draft !== undefined) drafts.end(draft)
        streams.delete(abort)
        openStreams.aborts.delete(abort)
        endUse()
        inDevelopment(({ unwatch }) => unwatch(token))
        return writer.written()
      })
      abort = stream.abort
      const endUse = use.begin()
      // A stream that can't begin never ends.
      stream.id.catch(endUse)
      streams.add(abort)
      openStreams.aborts.add(abort)
      watchDropped('stream', stream, token)
      return stream
    },
    transcript: ({ last = 50 } = {}) => {
      const error = closedError('transcript')
      if (error !== undefined) return closedTranscript(store, feed, key, last, error)
      const endUse = use.begin()
      const token = {}
      let isOver = false
      let close: (() => void) | undefined
      const transcript: Transcript = createTranscript({ store, feed, key, last, local: drafts }, () => {
        // Called before there is a transcript when the client is already closed.
        isOver = true
        if (close !== undefined) transcripts.delete(close)
        endUse()
        inDevelopment(({ unwatch }) => unwatch(token))
      })
      close = transcript.close
      if (!isOver) transcripts.add(close)
      if (!isOver) watchDropped('query', transcript, token)
      return transcript
    },
    end: async () => {
      for (const close of transcripts) close()
      if (streams.size > 0) inDevelopment(({ warn }) => warn('openStream', key))
      try {
        await Promise.all(endStreams(streams))
      } finally {
        use.drop()
      }
    },
  }
}

/** A stream that can't begin. */
function closedStream(store: SessionStore, key: string, options: StreamOptions, error: SessionError): MessageStream {
  const refuse = (): Promise<never> => Promise.reject(error)
  return createMessageStream({ ...store, openDraft: refuse, dropDraft: refuse }, key, options, async () => undefined)
}

/** A live query that has already ended. */
function closedTranscript(
  store: SessionStore,
  feed: ChangeFeed,
  key: string,
  last: number,
  error: SessionError,
): Transcript {
  const ended = { ...feed, ending: AbortSignal.abort() }
  return { ...createTranscript({ store, feed: ended, key, last }, () => undefined), ready: () => Promise.reject(error) }
}
