/** What the pages of this case share: each of them loads nothing else that it does not need. */
export const coldSession = 'cold'
export const oursDatabase = 'bench-cold-keepsession'
export const rawDatabase = 'bench-cold-raw'
export const wanted = 50

/** Milliseconds since the navigation began. */
export type Marks = Readonly<Record<'code runs' | 'store open' | 'time', number>>

/** Sends them to the bench, and opens the page that it wants to see next. */
export async function send(marks: Marks): Promise<void> {
  const report = new URL(location.href).searchParams.get('report')
  if (report === null) throw new Error('There is no address to send the marks to.')
  const answer = await fetch(report, { method: 'POST', body: JSON.stringify(marks) })
  const next = await answer.text()
  // It gets a process of its own, as a tab that the user opens.
  if (next !== '') window.open(next, '_blank', 'noopener')
  location.replace('about:blank')
}
