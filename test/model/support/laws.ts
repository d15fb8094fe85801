import fc from 'fast-check'

/**
 * `npm run test:model`: the run counts of the log model's own proof, or more. Otherwise a part that fits into every
 * test run.
 */
export const isFull = process.env['MODEL'] === 'full'

/** A law that takes minutes at full size. */
export const patience = isFull ? 7_200_000 : 120_000

/** Holds a property for so many runs; a failure names its seed and the smallest run that shows it. */
export function holds(
  runs: { readonly quick: number; readonly full: number },
  property: fc.IRawProperty<unknown>,
): void {
  fc.assert(property, { numRuns: isFull ? runs.full : runs.quick })
}

/** The same for a property that has to wait for something. */
export async function holdsAsync(
  runs: { readonly quick: number; readonly full: number },
  property: fc.IRawProperty<unknown, true>,
): Promise<void> {
  await fc.assert(property, { numRuns: isFull ? runs.full : runs.quick })
}

/** Says what a full run looked at. */
export function report(law: string, counts: Readonly<Record<string, number>>): void {
  if (isFull)
    console.info(
      `${law}: ${Object.entries(counts)
        .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
        .join(', ')}`,
    )
}
