import type { KeyCheck } from '../key-check.ts'
import type { ListFacts } from './machine-state.ts'

/** What happens to the connection of the list, with what it says from then on. */
export type ListEvent =
  | {
      readonly type:
        | 'listUp'
        | 'listLost'
        | 'listArrived'
        /** The server lacks something of the list that it had before: it may lack parts of every session. */
        | 'listSetBack'
        /** Among peers: one has joined, which may have content that no other peer had. */
        | 'peerCame'
        | 'listMoved'
      readonly list: ListFacts
    }
  | { readonly type: 'listRefused'; readonly reason: string }

/** What comes from the store, the sessions and the clocks. */
export type WorkEvent =
  | {
      readonly type: /** Local changes are read. */
        | 'changesKnown'
        | 'purgesKnown'
        /** Sessions that could not be read before were read. */
        | 'sessionsReread'
        /** Everything that others purged and that can be erased now is erased. */
        | 'erasingDone'
        /** Something was put into the list. */
        | 'published'
        | 'purgesAnnounced'
        /** A session's exchange has begun, gone on or ended. */
        | 'windowMoved'
        /** Attachments were copied, or could not be. */
        | 'blobsMoved'
        | 'storeMoved'
        /** The other side takes nothing from here. */
        | 'readonlyFound'
        | 'reviewed'
        | 'reviewNeeded'
        | 'presenceMoved'
    }
  | { readonly type: 'retryDue'; readonly keys: readonly string[] }
  | { readonly type: 'failed'; readonly message: string }

/** What comes of the keys. */
export type KeyEvent =
  /** The list has changed; whether the result of the last check is still about what it says. */
  | { readonly type: 'listChanged'; readonly isKeyCurrent: boolean }
  /** The result of a check of our key, about what the list says now. */
  | { readonly type: 'keyChecked'; readonly found: KeyCheck }
  /** No more checks are needed for now. */
  | { readonly type: 'keySettled' }
  | { readonly type: 'keyChangeBegan' }
  /** Sync continues with these keys, and the list that is written with them. */
  | { readonly type: 'keysTaken'; readonly leftBlobs: readonly string[] }
  | { readonly type: 'keyChangeEnded' }

/** What is called from outside. */
export type CallEvent =
  | {
      readonly type:
        | 'started'
        | 'pauseAsked'
        | 'resumeAsked'
        | 'planAsked'
        | 'retryAsked'
        | 'dropAsked'
        | 'syncAsked'
        /** What `syncNow` has to know first is known. */
        | 'syncPrepared'
        | 'callerServed'
        | 'closeAsked'
    }
  | { readonly type: 'watched'; readonly key: string; readonly isWatched: boolean }

/** Everything that comes to sync from outside, as data. */
export type SyncEvent = ListEvent | WorkEvent | KeyEvent | CallEvent
export type SyncEventType = SyncEvent['type']
