import type { JobTask } from '../../contract/job.ts'

type Wording = readonly [name: string, advice: string]

const wordings: Readonly<Record<JobTask['kind'], Wording>> = {
  importFiles: ['import', 'Import the file again; nothing is added twice.'],
  exportFiles: ['export', 'Start it again.'],
  verifyStore: ['check', 'Start it again.'],
  repairStore: ['repair', 'Start it again; what was repaired by then remains so.'],
  reclaimStore: ['reclaim', 'Start it again; what was reclaimed by then remains so.'],
  keepMirror: ['comparison with the mirror', 'The next start makes another one.'],
  repairRows: ['repair of a session', 'Read the session again.'],
  copyPath: [
    'copy of a branch',
    'Start it again with the same key, which completes it; a part under a key that was drawn can be deleted.',
  ],
  diffCheckpoints: ['comparison of checkpoints', 'Start it again.'],
  changeEncryption: ['change of the encryption', 'The next start continues it.'],
}

/** What an app calls a kind of job, and what to do when its worker was lost. */
export const jobWording = (kind: JobTask['kind']): Wording =>
  (wordings as Partial<typeof wordings>)[kind] ?? ['job', 'Start it again.']
