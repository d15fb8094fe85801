export type {
  BlobAttachments,
  ChosenFile,
  FormattedHistory,
  HistoryItem,
  HistoryMessages,
  ListedThread,
  MessageFormat,
  SentFile,
  SessionHistory,
  SessionThreadList,
} from './adapters/assistant-ui/assistant-types.ts'
export type { AttachmentOptions } from './adapters/assistant-ui/create-attachment-adapter.ts'
export { createAttachmentAdapter } from './adapters/assistant-ui/create-attachment-adapter.ts'
export type { ThreadHistoryOptions } from './adapters/assistant-ui/create-history-adapter.ts'
export { createHistoryAdapter } from './adapters/assistant-ui/create-history-adapter.ts'
export type { ThreadListOptions } from './adapters/assistant-ui/create-thread-list-adapter.ts'
export { createThreadListAdapter } from './adapters/assistant-ui/create-thread-list-adapter.ts'
