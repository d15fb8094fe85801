import { unlessAborted } from '../../../client/upkeep/unless-aborted.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { isToolResult } from '../../../domain/context/is-tool-result.ts'
import { modelMessage } from '../../../domain/context/model-message.ts'

const pageSize = 64

/**
 * The end of the context, from the newest message on that is not the result of a tool. New results are added after it.
 */
export async function readNewestBlock(
  store: SessionStore,
  key: string,
  branch: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const block: Message[] = []
  /** @returns whether that was the block's first message */
  const isFirst = (message: Message): boolean => {
    block.unshift(message)
    return !isToolResult(message)
  }
  for (let before: string | undefined; ; ) {
    const line = branch === undefined ? {} : { branch }
    const page = await unlessAborted(
      store.read(key, {
        ...line,
        view: 'context',
        ...(before === undefined ? { last: pageSize } : { before, limit: pageSize }),
      }),
      signal,
      'Reading',
    )
    const messages = page.entries.flatMap((entry) => modelMessage(entry) ?? [])
    if (messages.reverse().some(isFirst)) return block
    const first = page.entries[0]
    if (!page.more || first === undefined) {
      // The messages that a compaction put in front.
      ;[...(page.hidden?.messages ?? [])].reverse().some(isFirst)
      return block
    }
    before = first.order
    branch = page.branch
  }
}
