export type { HistoryModules } from './adapters/langchain/create-chat-message-history.ts'
export { createChatMessageHistory } from './adapters/langchain/create-chat-message-history.ts'
export type { LangChainMessage, StoredLangChainMessage } from './adapters/langchain/langchain-message.ts'
