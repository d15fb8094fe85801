import * as Y from 'yjs'
import { eraseInRelay, type TidyOptions, tidyRelay } from './tidy-relay.ts'

/** Keeps this device's files free of what was erased, and few. */
export interface RelayUpkeep {
  /** Removes what was erased, if anything was erased since the last call. @returns whether something was */
  erase(files: TidyOptions['files']): Promise<boolean>
  tidy(files: TidyOptions['files']): Promise<void>
  close(): void
}

export function createRelayUpkeep({ doc, store, put }: Omit<TidyOptions, 'files'>): RelayUpkeep {
  /** Whether content was erased here, or may have been in an earlier run. */
  let mustErase = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(doc)).length > 2
  const onUpdate = (_: Uint8Array, __: unknown, ___: Y.Doc, { deleteSet }: Y.Transaction): void => {
    if (deleteSet.clients.size > 0) mustErase = true
  }
  doc.on('update', onUpdate)
  return {
    erase: async (files) => {
      const isErasing = mustErase
      mustErase = false
      if (isErasing) await eraseInRelay({ doc, store, files, put })
      return isErasing
    },
    tidy: (files) => tidyRelay({ doc, store, files, put }),
    close: () => doc.off('update', onUpdate),
  }
}
