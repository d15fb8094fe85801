/**
 * The text that tells a model what it can't see: the summary of the part of the conversation that was left out, and the
 * memo, each under a heading.
 *
 * @returns `''` when there is neither
 */
export function systemText(summary: string, memo: string): string {
  return [
    summary.trim() === '' ? '' : summaryIntroduction + summary.trim(),
    memo.trim() === '' ? '' : memoIntroduction + memo.trim(),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const summaryIntroduction =
  '# Summary of the conversation so far\n\nThe older part of this conversation is not shown. In short, it was this:\n\n'
const memoIntroduction = '# Memo\n\nThis was noted down from this conversation and still holds:\n\n'
