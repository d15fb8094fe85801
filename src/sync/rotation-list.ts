import { type Doc, encodeStateVector } from 'yjs'
import { sealedCodec } from './encryption/sealed-codec.ts'
import { hasAll } from './has-all.ts'
import { type IndexDocument, openIndexDocument } from './index-document.ts'
import { keepAsking } from './keep-asking.ts'
import { keepConnected } from './keep-connected.ts'
import type { KeyChangeOptions } from './key-change-options.ts'
import { createListAnswers } from './list-answers.ts'
import { readStateVector } from './read-state-vector.ts'

/** The list of sessions while the key is changed, read under both keys and written under the new one. */
export interface RotationList {
  readonly index: IndexDocument
  /** Resolves when the list of the other side has arrived. @throws AccessDenied, Aborted */
  arrived(): Promise<void>
  /** Resolves when the other side has what the list says here. @throws AccessDenied, Aborted */
  confirmed(): Promise<void>
  close(): Promise<void>
}

export async function openRotationList(
  options: Omit<KeyChangeOptions, 'store' | 'here' | 'onProgress'>,
): Promise<RotationList> {
  const { transport, namespace, state, from, to, retry, now, signal } = options
  const name = `${namespace}/index`
  const answers = createListAnswers(signal)
  const index = await openIndexDocument({
    name,
    codec: sealedCodec([to, from]).index,
    now,
    state,
    onChange: answers.noteChange,
  })
  const connection = keepConnected(
    transport,
    {
      name,
      doc: index.doc,
      receive: async (update, origin) => {
        // Updates that are none of the list are reported by sync itself.
        await index.receive(update, origin).catch(() => undefined)
        answers.noteList()
      },
      peerHas: (stateVector) => {
        answers.noteVector(stateVector)
        // Where nothing is new, some transports deliver nothing.
        if (hasAll(stateOf(index.doc), readStateVector(stateVector))) answers.noteList()
      },
      status: answers.noteStatus,
    },
    retry,
  )
  const confirm = async (): Promise<void> => {
    // State vectors do not show deletions. Of two answers, the second one is to a question that was asked after they
    // were sent.
    for (let i = 0; i < 2; i++) await answers.next(connection.ask)
    if (answers.haveAllOf(index.doc)) return
    connection.ask()
    await answers.untilAllOf(index.doc)
  }
  const whileAsking = sharedAsking(connection.ask)

  return {
    index,
    arrived: () => whileAsking(answers.arrived()),
    confirmed: () => whileAsking(confirm()),
    close: () => connection.close(),
  }
}

/**
 * Asks again from time to time while anybody waits, because an answer may be lost. One question is for all: each answer
 * is to all who wait.
 */
function sharedAsking(ask: () => void): (waiting: Promise<void>) => Promise<void> {
  let count = 0
  let stop: (() => void) | undefined
  return async (waiting) => {
    count += 1
    stop ??= keepAsking(ask)
    try {
      await waiting
    } finally {
      count -= 1
      if (count === 0) {
        stop?.()
        stop = undefined
      }
    }
  }
}

const stateOf = (doc: Doc): ReadonlyMap<number, number> => readStateVector(encodeStateVector(doc))
