import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import { inIndexedDb } from './support/browser-stores.ts'

sessionStoreConformance(inIndexedDb('IndexedDB in the page', 'in-page'))
