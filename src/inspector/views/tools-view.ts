import type { Job } from '../../client/job-handle.ts'
import type { ExportFormat, JobProgress } from '../../contract/job.ts'
import type { VerifyProblem } from '../../contract/store/verify-problem.ts'
import { bytesOf, counted, errorText } from '../describe-values.ts'
import { fillQuota, freeQuota } from '../fill-quota.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { button, fill, h, scrollArea, section } from '../make-element.ts'
import { unlessStopped } from '../unless-stopped.ts'

const formats: readonly ExportFormat[] = [
  'archive',
  'markdown',
  'openai',
  'openai-lines',
  'pi',
  'picoclaw',
  'agently',
  'aixgo',
  'ai-panel',
]
/** Problems that are listed. */
const mostProblems = 100

/** Does a piece of work, shows how far it is, and how it ended. */
type Run = (name: string, work: (signal: AbortSignal, onProgress: (text: string) => void) => Promise<string>) => void

/** Checks and exports; and, where the inspector may write, repairs and what makes trouble on purpose. */
export function createToolsView(inspection: Inspection): InspectorView {
  const outcome = h('p', { role: 'status', class: 'outcome' })
  const findings = h('ul', { class: 'findings' })
  const stop = button('Stop', () => ending?.abort(), { hidden: true })
  let ending: AbortController | undefined
  inspection.signal.addEventListener('abort', () => ending?.abort())

  const run: Run = (name, work) => {
    if (ending !== undefined) return void (outcome.textContent = 'Something is running. Stop it first.')
    const own = (ending = new AbortController())
    stop.hidden = false
    findings.replaceChildren()
    outcome.textContent = `${name}…`
    work(own.signal, (text) => (outcome.textContent = `${name}: ${text}…`))
      .then(
        (text) => `${name}: ${text}`,
        (error: unknown) => (own.signal.aborted ? `${name}: stopped` : `${name}: ${errorText(error)}`),
      )
      .then((text) => {
        ending = undefined
        stop.hidden = true
        outcome.textContent = text
      })
  }
  const list = (problems: readonly VerifyProblem[]): void =>
    fill(
      findings,
      problems
        .slice(0, mostProblems)
        .map(({ key, kind, message }) => h('li', { dir: 'auto' }, `${key} (${kind}): ${message}`)),
    )

  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'bar' }, outcome, stop),
      scrollArea(
        'Tools',
        findings,
        section('Check', checks(inspection, run, list)),
        section('Export', exports(inspection, run)),
        ...(inspection.mayWrite
          ? [section('Change', repairs(inspection, run, list)), section('Make trouble', troubles(inspection, run))]
          : [
              h(
                'p',
                { class: 'hint' },
                'Opened for reading. `mayWrite: true` offers repairs, and ways to make trouble.',
              ),
            ]),
      ),
    ),
    show: () => undefined,
    hide: () => undefined,
  }
}

/** The end of a job, while its progress is shown. */
async function ended<T>(job: Job<T>, onProgress: (text: string) => void): Promise<T> {
  for await (const progress of job) onProgress(progressText(progress))
  return job.result
}

const progressText = ({ readBytes, totalBytes, entries, skipped }: JobProgress): string =>
  [
    totalBytes > 0 ? `${bytesOf(readBytes)} of ${bytesOf(totalBytes)}` : bytesOf(readBytes),
    counted(entries, 'entry', 'entries'),
    skipped > 0 && counted(skipped, 'problem'),
  ]
    .filter((part) => part !== false)
    .join(', ')

/** Buttons for the selected session and for all. */
function forBoth(inspection: Inspection, name: string, act: (target: { readonly key?: string }, name: string) => void) {
  return [
    button(`${name} everything`, () => act({}, `${name} everything`)),
    button(`${name} the selected session`, () => {
      const key = inspection.selection()?.key
      if (key === undefined) inspection.say('Choose a session first.', true)
      else act({ key }, `${name} ${key}`)
    }),
  ]
}

function checks(inspection: Inspection, run: Run, list: (problems: readonly VerifyProblem[]) => void) {
  return forBoth(inspection, 'Verify', (target, name) =>
    run(name, async (signal, onProgress) => {
      const {
        sessions,
        entries,
        problems,
        unlisted = 0,
      } = await ended(inspection.client.upkeep.verify({ ...target, signal }), onProgress)
      list(problems)
      return `${counted(entries, 'entry', 'entries')} in ${counted(sessions, 'session')}, ${counted(problems.length + unlisted, 'problem')}`
    }),
  )
}

function exports(inspection: Inspection, run: Run) {
  const format = h(
    'select',
    { 'aria-label': 'Format' },
    formats.map((one) => h('option', { value: one }, one)),
  )
  return [
    format,
    ...forBoth(inspection, 'Export', (target, name) =>
      run(name, async (signal, onProgress) => {
        const files = await ended(
          inspection.client.files.export(format.value as ExportFormat, {
            as: 'zip',
            signal,
            ...(target.key === undefined ? {} : { keys: [target.key] }),
          }),
          onProgress,
        )
        for (const { path, blob } of files) save(path, blob)
        return files.map(({ path, blob }) => `${path}, ${bytesOf(blob.size)}`).join('; ')
      }),
    ),
  ]
}

function save(path: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  h('a', { href: url, download: path.replace(/.*\//, '') }).click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}

function repairs(inspection: Inspection, run: Run, list: (problems: readonly VerifyProblem[]) => void) {
  const { upkeep } = inspection.client
  return [
    ...forBoth(inspection, 'Repair', (target, name) =>
      run(name, async (signal, onProgress) => {
        const { problems, repaired } = await ended(upkeep.repair({ ...target, signal }), onProgress)
        list(problems)
        return `${counted(problems.length, 'problem')}, ${repaired} repaired`
      }),
    ),
    button('Flush', () =>
      run('Flush', (signal) =>
        unlessStopped(signal, async () => (await upkeep.flush(), 'everything survives power loss now')),
      ),
    ),
  ]
}

function troubles({ sync, actions }: Inspection, run: Run) {
  return [
    ...(sync === undefined
      ? []
      : [
          button('Go offline', () =>
            run('Go offline', (signal) =>
              unlessStopped(signal, async () => (await sync.pause(), 'sync is paused in all tabs')),
            ),
          ),
          button('Go online', () =>
            run('Go online', (signal) => unlessStopped(signal, async () => (await sync.resume(), 'sync goes on'))),
          ),
        ]),
    button('Fill the quota', () =>
      run('Fill the quota', async (signal, onProgress) => {
        const written = await fillQuota(signal, (bytes) => onProgress(bytesOf(bytes)))
        return `${bytesOf(written)} are taken. “Free the quota” gives them back.`
      }),
    ),
    button('Free the quota', () =>
      run('Free the quota', async () => ((await freeQuota()) ? 'what was taken is free' : 'nothing was taken')),
    ),
    ...actions.map((action) =>
      button(
        action.label,
        () =>
          run(action.label, (signal) =>
            unlessStopped(signal, async () => {
              const result = await action.run()
              return result === undefined ? 'done' : String(result)
            }),
          ),
        { title: action.description },
      ),
    ),
  ]
}
