import type { SessionChange, StoreChange } from '../contract/change.ts'
import { type CommitRecord, createCommitRecord } from './commit-record.ts'
import { errorText } from './describe-values.ts'
import type { InspectedSync } from './inspected-sync.ts'
import type { InspectedClient, InspectorAction, InspectorOptions } from './inspector-options.ts'

/** One line of one session. `branch` is absent for the head. */
export interface Selection {
  readonly key: string
  readonly branch?: string
}

/** The views, in the order of their tabs. */
export const viewNames = [
  'Sessions',
  'Log',
  'Branches',
  'Drafts',
  'Context',
  'Tabs',
  'Storage',
  'Sync',
  'Commits',
  'Tools',
] as const

export type ViewName = (typeof viewNames)[number]

/** A part of the inspector. */
export interface InspectorView {
  readonly element: HTMLElement
  /** It comes into sight: reads anew. */
  show(): void
  /** It is out of sight: reads nothing more. */
  hide(): void
}

/** What the views of one open inspector share. */
export interface Inspection {
  readonly client: InspectedClient
  readonly sync: InspectedSync | undefined
  readonly mayWrite: boolean
  readonly actions: readonly InspectorAction[]
  /** Aborts when the inspector is closed. */
  readonly signal: AbortSignal
  readonly commits: CommitRecord
  selection(): Selection | undefined
  /** Whether a change is one of the selected session, also when its history has moved to another key (L20). */
  isOfSelection(change: StoreChange): change is SessionChange
  /** Chooses what the views of one session show, and a view to go to. */
  select(selection: Selection, view?: ViewName): void
  onSelect(listener: () => void): void
  onView(listener: (view: ViewName) => void): void
  /** Calls back with every change of the store, until the inspector is closed. */
  follow(listener: (change: StoreChange) => void): void
  /** Does what nobody waits for; reports what it throws. */
  attempt(work: () => Promise<unknown>): void
  /** Says something, in place of what was said before; `''` clears it. */
  say(text: string, isError?: boolean): void
  onSaid(listener: (text: string, isError: boolean) => void): void
  end(): void
}

/** Begins an inspection: from here on, commits are recorded. */
export function beginInspection(client: InspectedClient, options: InspectorOptions): Inspection {
  const ending = new AbortController()
  const followers = new Set<(change: StoreChange) => void>()
  const selectors = new Set<() => void>()
  let selection: Selection | undefined
  /** The key that the selected one stands for. */
  let shownKey: string | undefined
  let show: (view: ViewName) => void = () => undefined
  let hear: (text: string, isError: boolean) => void = () => undefined
  const commits = createCommitRecord()

  async function findShown(): Promise<void> {
    const own = selection
    // It is shown under its own key until then, and when it can't be asked for.
    const key = own && (await client.store.resolveSessionKey(own.key).catch(() => undefined))
    if (own === selection) shownKey = key
  }

  const unsubscribe = client.subscribe((change) => {
    commits.take(change)
    if (change.type === 'session' && change.names?.includes(selection?.key ?? '')) void findShown()
    for (const follower of followers) follower(change)
  })

  return {
    client,
    sync: options.sync,
    mayWrite: options.mayWrite === true,
    actions: options.actions ?? [],
    signal: ending.signal,
    commits,
    selection: () => selection,
    isOfSelection: (change): change is SessionChange =>
      change.type === 'session' &&
      selection !== undefined &&
      (change.key === selection.key || change.key === shownKey || change.names?.includes(selection.key) === true),
    select(next, view) {
      selection = next
      shownKey = undefined
      void findShown()
      for (const listener of selectors) listener()
      if (view !== undefined) show(view)
    },
    onSelect: (listener) => void selectors.add(listener),
    onView: (listener) => (show = listener),
    follow: (listener) => void followers.add(listener),
    attempt(work) {
      work().catch((error: unknown) => {
        // What is still on its way when the inspector is closed concerns nobody any more.
        if (!ending.signal.aborted) hear(errorText(error), true)
      })
    },
    say: (text, isError = false) => hear(text, isError),
    onSaid: (listener) => (hear = listener),
    end() {
      ending.abort()
      unsubscribe()
    },
  }
}
