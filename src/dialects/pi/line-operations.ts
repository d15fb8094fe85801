import type { EntryInput, EntryReceipt, EntryView } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { AppendOptions, AppendResult, SessionStore, WriteOptions } from '../../contract/store.ts'
import { labelsOf } from '../../domain/labels-of.ts'
import { readEntries } from '../../client/session/read-entries.ts'
import { findStanding } from '../../client/branches/find-standing.ts'
import type { LineOperations } from '../../client/branches/branch-types.ts'
import { pushAll } from '../../domain/push-all.ts'

export interface LineOperationParts {
  readonly store: SessionStore
  readonly key: string
  appendAll(entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
}

/** Makes what writes and reads that stand in a line beside the messages. Source: pi-coding-agent, whose entries they are */
export function createLineOperations({ store, key, appendAll }: LineOperationParts): LineOperations {
  const write = async (type: string, data: Extract<EntryInput, { readonly data: unknown }>['data'], options?: WriteOptions): Promise<EntryReceipt> => {
    const { entries } = await appendAll([{ type, data }], options)
    return entries[0] as EntryReceipt
  }
  return {
    setLabel: async (target, label, options) => {
      if (label !== null && typeof label !== 'string') throw new SessionError('InvalidInput', `A label is a text, or null to take it away, got ${typeof label}.`)
      const { entry } = await findStanding(store, key, target)
      return write('label', { targetId: entry.id, ...(label === null ? {} : { label }) }, options)
    },
    labels: async () => {
      const rows: EntryView[] = []
      for (const { id, fork } of await store.listBranches(key)) {
        for await (const entries of readEntries(store, key, undefined, { branch: id, view: 'raw', after: fork?.order ?? '' })) pushAll(rows, entries)
      }
      return labelsOf([...new Map(rows.map((row) => [row.id, row])).values()])
    },
    setModel: async (provider, modelId, options) => write('model_change', { provider: textOf(provider, 'provider'), modelId: textOf(modelId, 'modelId') }, options),
    setThinkingLevel: async (thinkingLevel, options) => write('thinking_level_change', { thinkingLevel: textOf(thinkingLevel, 'thinkingLevel') }, options),
    appendCustom: async (customType, data, options) => write('custom', { customType: textOf(customType, 'customType'), ...(data === undefined ? {} : { data }) }, options),
    appendCustomMessage: async ({ customType, content, display = true, details }, options) =>
      write('custom_message', { customType: textOf(customType, 'customType'), content: content as string, display, ...(details === undefined ? {} : { details }) }, options),
  }
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new SessionError('InvalidInput', `${name} must be a text that is not empty, got ${value === '' ? 'an empty one' : typeof value}. Nothing was written.`)
}
