import type { VerifyReport } from '../../../contract/store/store-upkeep.ts'
import type { VerifyProblem } from '../../../contract/store/verify-problem.ts'

/** The most problems that a report lists: a torn file can cause one for each entry. */
const problemLimit = 1000

/** The listed problems, and how many there are in all. */
export interface ProblemList {
  add(problem: VerifyProblem): void
  addAll(others: ProblemList): void
  addReport(report: Pick<VerifyReport, 'problems' | 'unlisted'>): void
  count(): number
  /** The form for a report. */
  report(): Pick<VerifyReport, 'problems' | 'unlisted'>
}

export function createProblemList(): ProblemList {
  const problems: VerifyProblem[] = []
  let count = 0
  const report = (): ReturnType<ProblemList['report']> => ({
    problems,
    ...(count > problems.length ? { unlisted: count - problems.length } : {}),
  })
  const addReport: ProblemList['addReport'] = (other) => {
    for (const problem of other.problems) if (problems.length < problemLimit) problems.push(problem)
    count += other.problems.length + (other.unlisted ?? 0)
  }
  return {
    add: (problem) => {
      count++
      if (problems.length < problemLimit) problems.push(problem)
    },
    addAll: (others) => addReport(others.report()),
    addReport,
    count: () => count,
    report,
  }
}
