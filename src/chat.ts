export { chatEvents } from './dialects/chat/chat-events.ts'
export type {
  ChatEvent,
  ChatHandler,
  ChatHandlerOptions,
  ChatModel,
  ChatTool,
  ModelEvent,
  ModelRequest,
  ToolCall,
} from './dialects/chat/chat-types.ts'
export { createChatHandler } from './dialects/chat/create-chat-handler.ts'
export { createContextManagers } from './dialects/chat/create-context-managers.ts'
