export { createSaver } from './adapters/langgraph/create-saver.ts'
export type {
  ChannelVersion,
  SaverBase,
  SaverModule,
  SaverOptions,
  Serializer,
} from './adapters/langgraph/langgraph-types.ts'
