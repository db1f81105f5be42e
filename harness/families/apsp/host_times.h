/**
 * @file host_times.h
 * @brief How long the host takes for all shortest paths, on all of its cores.
 */
#ifndef LAB_APSP_HOST_TIMES_H
#define LAB_APSP_HOST_TIMES_H

#include "families/apsp/graph/graph.h"

/** About how many milliseconds at most the host takes for Dijkstra, and for Floyd-Warshall. */
double lab_host_dijkstra_estimate(const struct lab_graph *graph);
double lab_host_floyd_warshall_estimate(const struct lab_graph *graph);

/** Milliseconds of the faster of the two. Only a method that should take less than `most`, and that
 * can handle the graph's weights, is tried; 0: neither. */
double lab_host_ms(const struct lab_graph *graph, double most);

/** Milliseconds for Dijkstra from every vertex, without negative weights; 0: no memory. */
double lab_host_dijkstra_ms(const struct lab_graph *graph);

/** Milliseconds for Floyd-Warshall in blocks, double precision; 0: no memory. */
double lab_host_floyd_warshall_ms(const struct lab_graph *graph);

#endif
