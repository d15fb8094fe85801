/** What is shown of the state of sync. */
export interface InspectedSyncSnapshot {
  readonly isLeader: boolean
  readonly status: {
    readonly state: string
    readonly message?: string
    readonly pending: number
    readonly progress: { readonly done: number; readonly total: number }
    readonly report: {
      readonly sent: number
      readonly received: number
      readonly merged: number
      readonly purged: number
      readonly quarantinedCount: number
      readonly quarantined: readonly { readonly key: string; readonly id?: string; readonly reason: string }[]
      readonly notices: readonly string[]
      readonly blobs: { readonly sent: number; readonly received: number; readonly missing: number }
    }
  }
  readonly states: Readonly<Record<string, string>>
  readonly sessions: readonly { readonly key: string; readonly title: string }[]
  readonly presence: Readonly<Record<string, readonly unknown[]>>
}

/**
 * What the inspector needs of sync: every `DeviceSync` has it. Its own type is of an entry that needs Yjs, which an app
 * without sync does not have.
 */
export interface InspectedSync {
  subscribe(onChange: () => void): () => void
  getSnapshot(): InspectedSyncSnapshot
  pause(): Promise<void>
  resume(): Promise<void>
}
