export type { InspectedSync, InspectedSyncSnapshot } from './inspector/inspected-sync.ts'
export type { InspectorElement } from './inspector/inspector-element.ts'
export type { InspectedClient, InspectorAction, InspectorOptions } from './inspector/inspector-options.ts'
export { type OpenInspector, openInspector } from './inspector/open-inspector.ts'
