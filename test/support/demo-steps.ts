import type { Locator, Page } from 'playwright-core'

/** What tests do in the tab of a demo. */
export interface DemoSteps {
  byTest(id: string): Locator
  /** Stored messages of a role, without replies that still grow. */
  messages(role: string): Locator
  /** Sends a text, and waits until it is answered. */
  say(text: string): Promise<void>
}

/** @param page - the tab that is open now: each test has another one */
export function demoSteps(page: () => Page): DemoSteps {
  const byTest = (id: string): Locator => page().getByTestId(id)
  const messages = (role: string): Locator =>
    page().locator(`[data-testid=message][data-role=${role}]:not([data-draft])`)
  return {
    byTest,
    messages,
    say: async (text) => {
      const before = await messages('assistant').count()
      await byTest('composer').fill(text)
      await byTest('composer').press('Enter')
      await messages('assistant').nth(before).waitFor()
      await byTest('stop').waitFor({ state: 'hidden' })
    },
  }
}
