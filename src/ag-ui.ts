export type { AgentSnapshot, AgUiMessage, RecordableAgent } from './adapters/ag-ui/ag-ui-types.ts'
export { hydrate } from './adapters/ag-ui/hydrate-agent.ts'
export { type AgentRecording, type RecordOptions, recordAgent } from './adapters/ag-ui/record-agent.ts'
