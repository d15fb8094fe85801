import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import { inIndexedDb } from './support/browser-stores.ts'

// A file of its own, so that both cores work.
sessionStoreConformance(inIndexedDb('a worker', 'worker'))
