import type { SessionClient } from '../../../src/index.ts'

/** A message as the tests look at it. */
export interface PageMessage {
  readonly id: string
  readonly role: string
  readonly interrupted?: true
  readonly parts: readonly {
    readonly type: string
    readonly text?: string
    readonly state?: string
    readonly url?: string
    readonly output?: unknown
    readonly toolCallId?: string
    readonly approval?: { readonly id: string }
  }[]
}

/** What the page in test/frameworks/ai-sdk offers to `page.evaluate`, as `window.chat`, at each moment. */
export interface ChatPage {
  readonly client: SessionClient
  /** What the transport told of writes that failed. */
  readonly errors: readonly string[]
  readonly messages: readonly PageMessage[]
  readonly status: string
  /** Lets the model go on where it waits. */
  release(): void
  send(text: string, options?: { readonly messageId: string }): Promise<void>
  sendFile(file: File): Promise<void>
  regenerate(): Promise<void>
  stop(): Promise<void>
  answerTool(toolCallId: string, output: unknown): Promise<void>
  approve(id: string, approved: boolean): Promise<void>
  /** What is stored. */
  load(): Promise<readonly PageMessage[]>
  versions(): Promise<readonly (readonly [string, { readonly shown: number; readonly count: number }])[]>
  show(id: string, index: number): Promise<void>
}
