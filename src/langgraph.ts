export { createLangGraphStore } from './adapters/langgraph/create-langgraph-store.ts'
export { createSaver } from './adapters/langgraph/create-saver.ts'
export type {
  ChannelVersion,
  SaverBase,
  SaverModule,
  SaverOptions,
  Serializer,
} from './adapters/langgraph/langgraph-types.ts'
export type { StoreModule } from './adapters/langgraph/store-types.ts'
