/**
 * @file host_times.h
 * @brief How long the host takes for all shortest paths, on all of its cores.
 */
#ifndef LAB_HOST_TIMES_H
#define LAB_HOST_TIMES_H

#include "families/apsp/graph/graph.h"

/** Milliseconds for Dijkstra from every vertex, without negative weights; 0: no memory. */
double lab_host_dijkstra_ms(const struct lab_graph *graph);

/** Milliseconds for Floyd-Warshall in blocks, double precision; 0: no memory. */
double lab_host_floyd_warshall_ms(const struct lab_graph *graph);

#endif
