import type { ExportedFile, Job, SessionClient } from '../../../src/client/types.ts'
import type { Ground } from '../ground.ts'
import { overAll, overMessages, type Row, type RowsOf, type Watch } from '../row.ts'

type Methods = Pick<
  SessionClient,
  'verifyStore' | 'repairStore' | 'compactStore' | 'importJsonl' | 'importFiles' | 'exportFiles' | 'importPicoClaw' | 'exportPicoClaw' | 'importAgently' | 'exportAgently' | 'changeEncryption'
>

/** Waits for a job, and hears its progress. */
async function finish<T>(job: Job<T>, { told }: Watch): Promise<T> {
  const hearing = (async () => {
    for await (const _ of job) told()
  })()
  // The result says it.
  hearing.catch(() => undefined)
  return job.result
}

const watched = { tells: true, stops: true } as const
/** What goes over everything in the way of another row is measured up to here, so that a whole run takes a quarter of an hour. */
const shorter = { ...watched, upTo: { messages: 100_000, why: 'goes the same way as another row' } } as const
type Export = (ground: Ground) => Promise<readonly ExportedFile[]>

/** Files are made once for all repetitions. */
const files = new WeakMap<Ground, Map<Export, Promise<readonly ExportedFile[]>>>()
function filesOf(ground: Ground, make: Export): Promise<readonly ExportedFile[]> {
  const made = files.get(ground) ?? new Map<Export, Promise<readonly ExportedFile[]>>()
  files.set(ground, made)
  const known = made.get(make) ?? make(ground)
  made.set(make, known)
  return known
}

const exported = (format: 'archive' | 'pi' | 'picoclaw'): Export => async ({ client, key }) => client.exportFiles(format, { keys: [key] }).result
const archive = exported('archive')
const agentlyState: Export = async ({ client, key }) => [await client.exportAgently(key).result]

/** An import into a database of its own: the same again adds nothing. */
const imported = <T>(make: Export, extra: typeof watched | typeof shorter, run: (client: SessionClient, files: readonly ExportedFile[], signal: AbortSignal) => Job<T>): Row =>
  overMessages<{ readonly files: readonly ExportedFile[]; readonly into: SessionClient }>(async (_, { files, into }, watch) => finish(run(into, files, watch.signal), watch), {
    ...extra,
    prepare: async (ground) => ({ files: await filesOf(ground, make), into: await ground.openEmpty() }),
    tidy: (ground, { into }) => ground.drop(into),
  })

/** Jobs over files, and over all that is stored. */
export const fileRows = {
  verifyStore: overAll(({ client }, _, watch) => finish(client.verifyStore({ signal: watch.signal }), watch), watched),
  repairStore: overAll(({ client }, _, watch) => finish(client.repairStore({ signal: watch.signal }), watch), watched),
  compactStore: overMessages(({ client, key }, _, watch) => finish(client.compactStore({ key, signal: watch.signal }), watch), watched),
  exportFiles: {
    archive: overMessages(({ client, key }, _, watch) => finish(client.exportFiles('archive', { keys: [key], signal: watch.signal }), watch), watched),
    pi: overMessages(({ client, key }, _, watch) => finish(client.exportFiles('pi', { keys: [key], signal: watch.signal }), watch), watched),
    markdown: overMessages(({ client, key }, _, watch) => finish(client.exportFiles('markdown', { keys: [key], signal: watch.signal }), watch), shorter),
    'all sessions, zipped': overAll(({ client }, _, watch) => finish(client.exportFiles('openai-lines', { as: 'zip', signal: watch.signal }), watch), shorter),
  },
  exportPicoClaw: overMessages(
    async ({ client, key }, _, { signal }) => {
      for await (const _ of client.exportPicoClaw({ keys: [key], signal })) continue
    },
    { stops: true },
  ),
  exportAgently: overMessages(({ client, key }, _, watch) => finish(client.exportAgently(key, { signal: watch.signal }), watch), watched),
  importJsonl: imported(exported('pi'), watched, (client, files, signal) => client.importJsonl(files[0]!.blob, { signal })),
  importFiles: {
    'an archive': imported(archive, watched, (client, files, signal) => client.importFiles(files, { signal })),
    'dry run': imported(archive, shorter, (client, files, signal) => client.importFiles(files, { signal, dryRun: true })),
  },
  importPicoClaw: imported(exported('picoclaw'), shorter, (client, files, signal) => client.importPicoClaw(files, { signal })),
  importAgently: imported(agentlyState, shorter, (client, files, signal) => client.importAgently(files[0]!.blob, { signal })),
  changeEncryption: overMessages<SessionClient>((_, client, watch) => finish(client.changeEncryption({ passphrase: 'another' }, { rotate: true, signal: watch.signal }), watch), {
    ...shorter,
    prepare: async (ground) => {
      const client = await ground.openEmpty({ encryption: { passphrase: 'one' } })
      await ground.copyInto(client)
      return client
    },
    tidy: (ground, client) => ground.drop(client),
  }),
} satisfies RowsOf<Methods>
