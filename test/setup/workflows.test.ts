import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { project } from '../support/documents.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Choice {
  readonly command: string
  readonly packages?: string
}
interface Job {
  readonly steps: readonly Step[]
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> & { include?: readonly Choice[] } }
}
interface Workflow {
  readonly on: object
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = join(project, '.github/workflows')
const workflows = readdirSync(folder).map(
  (file) => [file, parse(readFileSync(join(folder, file), 'utf8')) as Workflow] as const,
)
const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** The npm scripts that a workflow runs, also those of a matrix. */
function scriptsOf({ jobs }: Workflow): string[] {
  const commands = Object.values(jobs).flatMap(({ steps, strategy }) => [
    ...steps.flatMap(({ run }) => run ?? []),
    ...(strategy?.matrix.include ?? []).map(({ command }) => command),
  ])
  return commands.flatMap((command) =>
    [...command.matchAll(/\bnpm (?:run ([\w:-]+)|(test|start))/g)].map(([, name, short]) => (name ?? short)!),
  )
}

/** What a hosted machine lacks of that which scripts look for. */
const packagesOf: Readonly<Record<string, readonly string[]>> = {
  redis: ['redis-server'],
  postgres: ['postgresql'],
  webkit: ['webkit2gtk-driver', 'xvfb'],
}

describe.each(workflows)('the workflow %s', (file, workflow) => {
  it('runs scripts that there are', () => {
    const named = scriptsOf(workflow)
    expect(named).not.toEqual([])
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it('may read the repository only, unless a job says more', () =>
    expect(workflow.permissions).toEqual({ contents: 'read' }))

  it('ends by itself, and names the release of each action', () => {
    for (const { steps, 'timeout-minutes': minutes } of Object.values(workflow.jobs)) {
      expect(minutes).toBeGreaterThan(0)
      for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/)
    }
  })

  it('installs what its scripts look for before it installs the project: its user is not root', () => {
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain('KEEPSESSION_INSTALL')
    for (const job of Object.values(workflow.jobs)) {
      const commands = job.steps.map(({ run }) => run ?? '')
      const before = commands.slice(0, commands.indexOf('npm ci')).filter((run) => run.includes('sudo apt-get install'))
      for (const choice of job.strategy?.matrix.include ?? [{ command: '' }]) {
        const installed = before
          .join(' ')
          .replace('${{ matrix.packages }}', choice.packages ?? '')
          .split(' ')
        const needed = scriptsOf({
          ...workflow,
          jobs: { job: { ...job, strategy: { matrix: { include: [choice] } } } },
        })
          .flatMap((name) => Object.keys(packagesOf).filter((tool) => scripts[name]!.includes(`ensure-${tool}.mjs`)))
          .flatMap((tool) => packagesOf[tool]!)
        expect(installed).toEqual(expect.arrayContaining(needed))
      }
    }
  })

  it('uses matrix values that its matrix has', () => {
    for (const job of Object.values(workflow.jobs)) {
      const { include = [], ...axes } = job.strategy?.matrix ?? {}
      const known = new Set([...Object.keys(axes), ...include.flatMap((one) => Object.keys(one))])
      const used = [...JSON.stringify(job).matchAll(/matrix\.(\w+)/g)].map(([, name]) => name!)
      expect(used.filter((name) => !known.has(name))).toEqual([])
    }
  })
})

describe('the workflows', () => {
  const named = (file: string): Workflow => workflows.find(([name]) => name === file)![1]

  it('test with Node 20, 22 and 24, and in three engines', () => {
    expect(named('test.yml').jobs['test']!.strategy!.matrix['node']).toEqual([20, 22, 24])
    expect(scriptsOf(named('test.yml'))).toEqual(
      expect.arrayContaining(['test:browser', 'test:firefox', 'test:webkit', 'release:check']),
    )
  })

  it('publish what was checked: no script builds it anew', () => {
    const runs = named('release.yml').jobs['publish']!.steps.flatMap(({ run }) => run ?? [])
    const at = (part: string): number => runs.findIndex((run) => run.includes(part))
    expect(runs[at('npm publish')]).toContain('--ignore-scripts')
    expect(at('release:check')).toBeGreaterThan(-1)
    expect(at('npm publish')).toBeGreaterThan(at('release:check'))
  })

  it('run faults and the simulation every night', () => {
    expect(Object.keys(named('nightly.yml').on)).toContain('schedule')
    expect(scriptsOf(named('nightly.yml'))).toEqual(expect.arrayContaining(['test:faults', 'test:sync', 'test:model']))
  })
})

it('asks in every issue form for what it can answer with', () => {
  const forms = join(project, '.github/ISSUE_TEMPLATE')
  for (const file of readdirSync(forms).filter((name) => name !== 'config.yml')) {
    const form = parse(readFileSync(join(forms, file), 'utf8')) as {
      name: string
      body: { type: string; id: string }[]
    }
    expect(form.name).toBeTruthy()
    expect(new Set(form.body.map(({ id }) => id)).size).toBe(form.body.length)
  }
  expect(existsSync(join(project, 'SECURITY.md'))).toBe(true)
})
