/** What the pages of this case share: each of them loads nothing else that it does not need. */
export const coldSession = 'cold'
export const oursDatabase = 'bench-cold-keepsession'
export const rawDatabase = 'bench-cold-raw'
export const wanted = 50

/** Milliseconds since the navigation began. */
export type Marks = Readonly<Record<'code runs' | 'store open' | 'time', number>>

/** Hands them to the bench. */
export function show(marks: Marks): void {
  Object.assign(globalThis, { marks })
}
