/** The longest delay of Node's timers, in milliseconds: 24.8 days. With a longer one they fire at once. */
export const MAX_DELAY_MS = 2_147_483_647;
