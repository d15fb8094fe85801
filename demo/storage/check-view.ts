import type { JobProgress, SessionClient, StoreRepairReport } from '../../src/index.ts'
import type { VerifyReport } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { endedJob } from '../ui/ended-job.ts'
import { bytes, counted } from '../ui/format.ts'
import { messageOf } from '../ui/toasts.ts'

/** Looks at everything that is stored, and mends what is wrong. */
export function createCheckView(client: SessionClient, onDone: () => void): HTMLElement {
  const bar = h('progress', { class: 'import-bar', max: 1, 'aria-label': 'Progress of the check', hidden: true })
  const outcome = h('p', { role: 'status', 'data-testid': 'check-outcome' })
  const findings = h('ul', { class: 'panel-list' })
  const verify = h(
    'button',
    { type: 'button', class: 'button', 'data-testid': 'verify', onclick: () => void run('verify') },
    'Check everything',
  )
  const repair = h(
    'button',
    { type: 'button', class: 'button', 'data-testid': 'repair', onclick: () => void run('repair') },
    'Check and repair',
  )
  const stop = h('button', { type: 'button', class: 'button', hidden: true, onclick: () => ending?.abort() }, 'Stop')
  let ending: AbortController | undefined

  async function run(what: 'verify' | 'repair'): Promise<void> {
    ending = new AbortController()
    const { signal } = ending
    setBusy(true)
    findings.replaceChildren()
    try {
      const report: VerifyReport | StoreRepairReport =
        what === 'verify'
          ? await endedJob(client.upkeep.verify({ signal }), progress)
          : await endedJob(client.upkeep.repair({ signal }), progress)
      outcome.textContent = words(report)
      findings.replaceChildren(
        ...report.problems.slice(0, 100).map(({ key, message }) => h('li', {}, `${key}: ${message}`)),
      )
      if (what === 'repair') onDone()
    } catch (error) {
      outcome.textContent = signal.aborted ? 'Stopped.' : messageOf(error)
    } finally {
      setBusy(false)
    }
  }

  function progress({ readBytes, totalBytes, entries, skipped }: JobProgress): void {
    if (totalBytes > 0) bar.value = readBytes / totalBytes
    outcome.textContent = `${bytes(readBytes)}, ${counted(entries, 'entry', 'entries')} checked${skipped > 0 ? `, ${counted(skipped, 'problem')}` : ''}…`
  }

  function setBusy(isBusy: boolean): void {
    bar.hidden = !isBusy
    bar.removeAttribute('value')
    verify.disabled = repair.disabled = isBusy
    stop.hidden = !isBusy
  }

  return h(
    'div',
    { class: 'panel-parts' },
    h('div', { class: 'panel-buttons start' }, verify, repair, stop),
    bar,
    outcome,
    findings,
  )
}

function words(report: VerifyReport | StoreRepairReport): string {
  const size = `${counted(report.entries, 'entry', 'entries')} in ${counted(report.sessions, 'conversation')}`
  if (report.problems.length === 0) return `${size}: no problems found.`
  return `${size}: ${counted(report.problems.length, 'problem')}${'repaired' in report ? `, ${report.repaired} repaired` : ''}.`
}
