import type { VerifyProblem, VerifyReport } from '../../../contract/store.ts'

/** Problems that a report lists: a torn file can make one of each entry. */
export const problemLimit = 1000

/** What is wrong, as far as it is to be listed, and how much there is in all. */
export interface ProblemList {
  add(problem: VerifyProblem): void
  addAll(others: ProblemList): void
  addReport(report: Pick<VerifyReport, 'problems' | 'unlisted'>): void
  count(): number
  /** What a report says of it. */
  told(): Pick<VerifyReport, 'problems' | 'unlisted'>
}

export function createProblemList(): ProblemList {
  const problems: VerifyProblem[] = []
  let count = 0
  const told = (): ReturnType<ProblemList['told']> => ({ problems, ...(count > problems.length ? { unlisted: count - problems.length } : {}) })
  const addReport: ProblemList['addReport'] = (report) => {
    for (const problem of report.problems) if (problems.length < problemLimit) problems.push(problem)
    count += report.problems.length + (report.unlisted ?? 0)
  }
  return {
    add: (problem) => {
      count++
      if (problems.length < problemLimit) problems.push(problem)
    },
    addAll: (others) => addReport(others.told()),
    addReport,
    count: () => count,
    told,
  }
}
