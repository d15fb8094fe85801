import type { SessionClient } from '../../../src/index.ts'

/** What the page in test/frameworks/tanstack-ai offers to `page.evaluate`, as `window.chat`, at each moment. */
export interface ThreadPage {
  readonly client: SessionClient
  readonly errors: readonly string[]
  readonly messages: readonly {
    readonly id: string
    readonly role: string
    readonly parts: readonly { readonly content?: string }[]
  }[]
  readonly status: string
  /** Lets the model go on where it waits. */
  release(): void
  send(text: string): Promise<void>
  reload(): Promise<void>
  clear(): void
  /** Stores what is not stored yet. */
  flush(): Promise<void>
}

/** What the page in test/frameworks/assistant-ui offers to `page.evaluate`, as `window.assistant`, once. */
export interface AssistantPage {
  readonly client: SessionClient
  /** The messages that are shown: id, text, and which version of how many. */
  messages(): readonly {
    readonly id: string
    readonly text: string
    readonly version: string
    readonly images: readonly string[]
  }[]
  isRunning(): boolean
  send(text: string, file?: File): Promise<void>
  /** Says something in the place of a message. */
  edit(index: number, text: string): void
  regenerate(index: number): void
  /** Shows the version before the one of a message that is shown. */
  showPrevious(index: number): void
  /** The threads that are listed: their titles, the archived ones marked. */
  threads(): readonly string[]
  newThread(): Promise<void>
  openThread(index: number): Promise<void>
  rename(index: number, title: string): Promise<void>
  archive(index: number): Promise<void>
  remove(index: number): Promise<void>
}
