import type { KeyEvent } from './machine-event.ts'
import { type SyncFacts, type SyncMachineState, unchecked } from './machine-state.ts'
import { type Moved, moved, review, tell } from './moved.ts'

/** What is found out about keys, and what a change of them leads to. */
export function stepKeys(state: SyncMachineState, event: KeyEvent): Moved {
  switch (event.type) {
    case 'listChanged': {
      if (state.isClosed) return moved(state, {})
      const next = proceed(state, { key: { ...state.key, isCurrent: event.isKeyCurrent } })
      return { state: next.state, commands: [{ type: 'saveSoon' }, { type: 'dropStale' }, ...next.commands] }
    }
    case 'keyChecked': {
      const { found } = event
      const facts = { key: { found, isCurrent: true } }
      if (!found.isRight) return moved(state, facts, 'forgetSettled', 'stopWindow')
      return moved(
        state,
        facts,
        ...(found.notice === undefined ? [] : [{ type: 'notice', text: found.notice } as const]),
      )
    }
    case 'keySettled':
      return moved(state, {}, review, tell)
    case 'keyChangeBegan':
      return moved(state, { isChangingKeys: true }, 'closeList', tell, 'stopWindow')
    case 'keysTaken':
      return moved(
        state,
        { key: unchecked, leftBlobs: [...new Set([...state.leftBlobs, ...event.leftBlobs])] },
        state.isClosed ? 'closeBlobs' : 'loadStore',
      )
    case 'keyChangeEnded': {
      const isOn = !state.isClosed && !state.isPaused
      return moved(state, { isChangingKeys: false }, ...(isOn ? ['openList' as const] : []), tell)
    }
  }
}

/** Continues with what the list says, as far as our keys allow. */
export function proceed(state: SyncMachineState, facts: Partial<SyncFacts>): Moved {
  const { isClosed, isChangingKeys, key, list } = { ...state, ...facts }
  if (key.isCurrent) return moved(state, facts, review)
  return moved(state, facts, ...(list.hasList && !isClosed && !isChangingKeys ? ['checkKey' as const] : []))
}
