/**
 * @file shares.h
 * @brief Splits work of the host into equal shares, one for each core.
 */
#ifndef LAB_SHARES_H
#define LAB_SHARES_H

/** Cores of this machine that this process may use, LAB_MOST_SHARES at most. */
int lab_shares_of_cores(void);

enum { LAB_MOST_SHARES = 64 };

/** Calls work(context, share, shares) for every share in parallel; returns after the last one. */
void lab_share_out(void (*work)(void *context, int share, int shares), void *context, int shares);

#endif
