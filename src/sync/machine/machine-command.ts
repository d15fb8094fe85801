/** Everything that sync does, as data. `run-commands.ts` runs them. */
export type SyncEffect =
  /** Tells the listeners that the state of sync, or who is present, may have changed. */
  | { readonly type: 'tell'; readonly what: 'sync' | 'presence' }
  | {
      readonly type:
        | 'openList'
        | 'closeList'
        /** Asks the other side what it has of the list, and sends what it lacks. */
        | 'askList'
        /** Connects at once instead of waiting. */
        | 'retryList'
        | 'dropList'
        | 'setReadonly'
        /** Exchanges sessions that wait, from now on. */
        | 'startWindow'
        /** Closes all sessions, and exchanges none until it is started again. */
        | 'stopWindow'
        | 'checkKey'
        /** Reads what is here and what was purged, and follows the store from then on. */
        | 'loadStore'
        /** Every session is compared with the list again, whatever was exchanged in this connection. */
        | 'forgetSettled'
        /** The same for those that were purged here: the server has to remove them. */
        | 'forgetSettledPurges'
        /** Sessions that failed are no longer waited for: the next connection tries all. */
        | 'forgetFailures'
        /** Every session and blob is exchanged once more, though the list says that both sides have the same. */
        | 'doubtAll'
        /** Sessions that would be exchanged in another way now are closed before anything more comes for them. */
        | 'dropStale'
        | 'announcePurges'
        | 'pauseBlobs'
        /** Reviews all sessions, with all those that failed. */
        | 'retryFailed'
        /** Local changes that are gathered are processed now. */
        | 'hurryChanges'
        /** The same, if no session is being exchanged. */
        | 'hurryWhenExchanged'
        | 'saveSoon'
        | 'saveNow'
        | 'stopKeyChange'
        | 'closeBlobs'
        /** Follows the store, its callers and its peers no longer, and stops all clocks. */
        | 'closeIntake'
        | 'endErasing'
    }
  /** Finds out which sessions differ from the list, and has them exchanged, with these. */
  | { readonly type: 'review'; readonly again: readonly string[] }
  | { readonly type: 'retryBlobs'; readonly hashes: readonly string[] }
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'quarantineList'; readonly reason: string }
  | { readonly type: 'showWatched'; readonly key: string; readonly isWatched: boolean }

export type SyncEffectType = SyncEffect['type']
