/** Work that comes in steps, so that its caller can let others run in between. */
export type Steps<Result> = Generator<void, Result, undefined>

/** How many items make a step: far less than a frame. */
export const stepItems = 512

/** Does something for each item. */
export function* overEach<Item>(items: Iterable<Item>, act: (item: Item) => void): Steps<void> {
  let count = 0
  for (const item of items) {
    act(item)
    if (++count % stepItems === 0) yield
  }
}

/** Does all steps without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
