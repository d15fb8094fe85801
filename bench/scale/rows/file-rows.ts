import type { ClientFiles, ClientUpkeep, ExportedFile, SessionClient } from '../../../src/client/client-contract.ts'
import type { Job } from '../../../src/client/job-handle.ts'
import type { Ground } from '../ground.ts'
import { flat, overAll, overMessages, overSessions, type Row, type RowsOf, type Watch } from '../row.ts'

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
/**
 * What goes over everything in the way of another row is measured up to here, so that a whole run takes a quarter of an
 * hour.
 */
const shorter = { ...watched, upTo: { messages: 100_000, why: 'goes the same way as another row' } } as const
/** What reads a foreign file holds a conversation in memory. */
const limited = { ...watched, upTo: { messages: 100_000, why: 'a foreign file may have 262,144 entries' } } as const
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

const exported =
  (format: 'agently' | 'archive' | 'pi' | 'picoclaw'): Export =>
  async ({ client, key }) =>
    client.files.export(format, { keys: [key] }).result
const archive = exported('archive')

/** An import into a database of its own: the same again adds nothing. */
const imported = <T>(
  make: Export,
  extra: typeof watched | typeof shorter | typeof limited,
  run: (client: SessionClient, files: readonly ExportedFile[], signal: AbortSignal) => Job<T>,
): Row =>
  overMessages<{ readonly files: readonly ExportedFile[]; readonly into: SessionClient }>(
    async (_, { files, into }, watch) => finish(run(into, files, watch.signal), watch),
    {
      ...extra,
      prepare: async (ground) => ({ files: await filesOf(ground, make), into: await ground.openEmpty() }),
      tidy: (ground, { into }) => ground.drop(into),
    },
  )

/** Files in and out. */
export const fileRows = {
  export: {
    archive: overMessages(
      ({ client, key }, _, watch) =>
        finish(client.files.export('archive', { keys: [key], signal: watch.signal }), watch),
      watched,
    ),
    pi: overMessages(
      ({ client, key }, _, watch) => finish(client.files.export('pi', { keys: [key], signal: watch.signal }), watch),
      watched,
    ),
    markdown: overMessages(
      ({ client, key }, _, watch) =>
        finish(client.files.export('markdown', { keys: [key], signal: watch.signal }), watch),
      shorter,
    ),
    picoclaw: overMessages(
      ({ client, key }, _, watch) =>
        finish(client.files.export('picoclaw', { keys: [key], signal: watch.signal }), watch),
      watched,
    ),
    agently: overMessages(
      ({ client, key }, _, watch) =>
        finish(client.files.export('agently', { keys: [key], signal: watch.signal }), watch),
      watched,
    ),
    'all sessions, zipped': overAll(
      ({ client }, _, watch) => finish(client.files.export('openai-lines', { as: 'zip', signal: watch.signal }), watch),
      shorter,
    ),
  },
  import: {
    'an archive': imported(archive, watched, (client, files, signal) => client.files.import(files, { signal })),
    'dry run': imported(archive, shorter, (client, files, signal) =>
      client.files.import(files, { signal, dryRun: true }),
    ),
    pi: imported(exported('pi'), limited, (client, files, signal) =>
      client.files.import(files[0]!.blob, { format: 'pi', signal }),
    ),
    picoclaw: imported(exported('picoclaw'), shorter, (client, files, signal) =>
      client.files.import(files, { format: 'picoclaw', signal }),
    ),
    agently: imported(exported('agently'), shorter, (client, files, signal) =>
      client.files.import(files[0]!.blob, { format: 'agently', signal }),
    ),
  },
} satisfies RowsOf<ClientFiles>

/** Health, space and repair of the whole store. */
export const upkeepRows = {
  health: flat(({ client }) => client.upkeep.health()),
  persist: flat(({ client }) => client.upkeep.persist({ timeoutMs: 1 })),
  usage: overSessions(({ client }) => client.upkeep.usage()),
  flush: flat(({ client }) => client.upkeep.flush()),
  retain: {
    'dry run': overSessions(({ client }) =>
      client.upkeep.retain({ maxSessions: 10, action: 'archive' }, { dryRun: true }),
    ),
    'nothing to do': overSessions(({ client }) =>
      client.upkeep.retain({ maxSessions: 1_000_000, maxAgeMs: 1e12, action: 'archive' }),
    ),
  },
  verify: overAll(({ client }, _, watch) => finish(client.upkeep.verify({ signal: watch.signal }), watch), watched),
  repair: overAll(({ client }, _, watch) => finish(client.upkeep.repair({ signal: watch.signal }), watch), watched),
  reclaim: overMessages(
    ({ client, key }, _, watch) => finish(client.upkeep.reclaim({ key, signal: watch.signal }), watch),
    watched,
  ),
  changeEncryption: overMessages<SessionClient>(
    (_, client, watch) =>
      finish(client.upkeep.changeEncryption({ passphrase: 'another' }, { rotate: true, signal: watch.signal }), watch),
    {
      ...shorter,
      prepare: async (ground) => {
        const client = await ground.openEmpty({ encryption: { passphrase: 'one' } })
        await ground.copyInto(client)
        return client
      },
      tidy: (ground, client) => ground.drop(client),
    },
  ),
} satisfies RowsOf<ClientUpkeep>
