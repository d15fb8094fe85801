// The jobs of a client.
import type { Encryption, ResealReport } from '../../contract/encryption.ts'
import type { ExportFormat, FilesReport, ReclaimReport, StoreRepairReport } from '../../contract/job.ts'
import type { VerifyReport } from '../../contract/store/store-upkeep.ts'
import type {
  ChangeEncryptionOptions,
  CheckOptions,
  ExportedFile,
  ExportOptions,
  FilesSource,
  ImportOptions,
} from '../client-contract.ts'
import type { Job } from '../job-handle.ts'
import { createJob } from './create-job.ts'
import { type JobStore, runJob } from './run-job.ts'
import { filesOf } from './source-files.ts'

export type { JobStore } from './run-job.ts'
export { runJob } from './run-job.ts'

/** See `files.import` of a client. */
export function importFrom(jobStore: JobStore, source: FilesSource, options: ImportOptions = {}): Job<FilesReport> {
  const { dryRun = false, format, key, signal } = options
  return createJob(async (onProgress) => {
    const files = await filesOf(source, signal)
    return runJob(jobStore, { kind: 'importFiles', files, dryRun, format, key }, signal, onProgress)
  })
}

/** See `files.export` of a client. */
export function exportAs(
  jobStore: JobStore,
  format: ExportFormat,
  options: ExportOptions = {},
): Job<readonly ExportedFile[]> {
  const { keys, as = 'files', signal } = options
  return createJob((onProgress) => runJob(jobStore, { kind: 'exportFiles', format, keys, as }, signal, onProgress))
}

/** See `upkeep.verify` of a client. */
export function verify(jobStore: JobStore, { key, signal }: CheckOptions = {}): Job<VerifyReport> {
  return createJob((onProgress) => runJob(jobStore, { kind: 'verifyStore', key }, signal, onProgress))
}

/** See `upkeep.repair` of a client. */
export function repair(jobStore: JobStore, { key, signal }: CheckOptions = {}): Job<StoreRepairReport> {
  return createJob((onProgress) => runJob(jobStore, { kind: 'repairStore', key }, signal, onProgress))
}

/** See `upkeep.reclaim` of a client. */
export function reclaim(jobStore: JobStore, { key, signal }: CheckOptions = {}): Job<ReclaimReport> {
  return createJob((onProgress) => runJob(jobStore, { kind: 'reclaimStore', key }, signal, onProgress))
}

/** See `upkeep.changeEncryption` of a client. */
export function changeEncryption(
  jobStore: JobStore,
  to: Encryption | null | undefined,
  { rotate = false, signal }: ChangeEncryptionOptions = {},
): Job<ResealReport> {
  return createJob((onProgress) => runJob(jobStore, { kind: 'changeEncryption', to, rotate }, signal, onProgress))
}
