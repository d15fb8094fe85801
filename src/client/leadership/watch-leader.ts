import type { Election } from './election.ts'
import type { LeaderChannel } from './leader-channel.ts'

/** Questions without an answer after which a leader counts as frozen, hung or gone. */
const patience = 5

/**
 * Calls back once when the leader gives no sign of life any more, names this tab its heir, or has left. It is asked
 * rather than left to report: a hidden tab answers at once, while its timers may run once a minute. All that wait hear
 * every answer, so that one question a tick does for all of them. Returns how to stop.
 *
 * @param term - of the leader, where it is known
 */
export function watchLeader(
  { tickMs, hiddenFor, hasLasting }: Pick<Election, 'tickMs' | 'hiddenFor' | 'hasLasting'>,
  channel: LeaderChannel,
  me: string,
  act: () => void,
  term?: number,
): () => void {
  let unanswered = 0
  let hasHeard = false
  let isLeaderHidden = false
  let isLeaderFree = false
  const stop = (): void => {
    clearInterval(timer)
    unhear()
  }
  const finish = (): void => {
    stop()
    act()
  }
  const tick = (): void => {
    const isVisible = hiddenFor() === 0
    // A leader that nobody looks at hands over to a tab in sight, and one without lasting work to one that has some, if
    // it asks.
    const needsNoQuestion = hasHeard && !(isLeaderHidden && isVisible) && !(isLeaderFree && hasLasting())
    if (hasHeard) unanswered = 0
    hasHeard = false
    if (needsNoQuestion) return
    if (unanswered++ >= patience) return finish()
    channel.say({ keepsession: 'who-leads', from: me, isVisible, hasLasting: hasLasting() })
  }
  const unhear = channel.hear((message) => {
    if (message.keepsession === 'no-leader' && message.term === term) return finish()
    if (message.keepsession !== 'leader') return
    hasHeard = true
    isLeaderHidden = !message.isVisible
    isLeaderFree = !message.hasLasting
    // Whoever watched another one looks again whom to watch.
    if (message.heir === me || (term !== undefined && message.term > term)) finish()
  })
  const timer = setInterval(tick, tickMs)
  tick()
  return stop
}
