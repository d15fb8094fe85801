export { sessionStoreConformance } from './testing/session-store-conformance.ts'
export type { Deviation, OpenedStore, StoreUnderTest } from './testing/store-under-test.ts'
