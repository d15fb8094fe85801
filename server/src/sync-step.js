/** In y-protocols: asks for updates, and brings none. The second step and an update bring them. */
export const SYNC_STEP_1 = 0
